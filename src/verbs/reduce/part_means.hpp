#pragma once

#include <functional>
#include <optional>

#include "verbs/reduce/parts.hpp"
#include "verbs/reduce/parts_and_rest.hpp"

/// Means of long rows by way of their parts', which the mean and the variance of one tensor share.
namespace eglantine::verbs {

/// On a GPU alone: of columns, whose sums are taken in parts anyway, of short runs between what other rows have, and of
/// many elements in memory's order, whose variance then needs no reading of its own for the mean.
std::optional<Parts> parts_of_mean(const Tensor& x, const Axes& axes);

/// Means of each part, and of them all (without the axes).
struct Means {
  Tensor parts, all;
  bool known = false;  ///< someone holds them since they were asked for before
};

/// Of x, whose parts these are: the same tensors for the mean and the variance of one x, so that one kernel reads x for
/// both.
Means means_of(const Parts& parts, const Tensor& x, const Axes& axes);

struct SplitMeans {
  Tensor parts, rest, all;
  bool known = false;
};

/// Of x, whose parts these are: as means_of() above, the same tensors for a mean and a variance.
SplitMeans means_of(const SplitColumns& split, const Tensor& x, const Axes& axes);

/// The mean of all by parts of x that someone holds, if someone does, on a GPU.
std::optional<Tensor> known_mean(const Tensor& x, const Axes& axes);
/// Makes this one known to further parts of the plan that is made, if any.
void share_mean(const Tensor& x, const Axes& axes, const Tensor& mean);

/// The mean of x along `axes` from its parts' means, where it has such.
std::optional<Tensor> mean_of_parts(const Tensor& x, const Axes& axes);

/// The mean along one axis of what `of` makes of each element of a rest. Few rows are added by whoever reads it: a
/// kernel of their own would take as long as the one that joins all parts.
Tensor mean_of_rest(const Tensor& rest, const Axes& axes, const std::function<Tensor(const Tensor&)>& of);

/// (1 - share) of_head + share of_rest; exact where both are equal, and of infinities their sum.
Tensor joined(const Tensor& of_head, const Tensor& of_rest, double share);

/// The sum of all elements that a mean divides. On a GPU that of many that are computed is added in any order, since
/// what they are computed of may lie in several.
Tensor sum_of_mean(const Tensor& x);
/// The mean along `axes`, added in any order: other kernels' chains may compute it on the way.
Tensor mean_in_any_order(const Tensor& x, const Axes& axes);

}  // namespace eglantine::verbs
