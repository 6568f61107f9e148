#pragma once

#include <optional>
#include <vector>

#include "verbs/build.hpp"

/// Rows that are too long for a kernel.
namespace eglantine::verbs {

/// Rows along `inner`, which a kernel takes, and what is left of the long rows' axes, `outer`, before them.
struct Parts {
  Tensor x;
  Axes inner, outer;
};

/// x's rows along `axes` (f32) cut into parts of equal lengths; nothing where a kernel takes them whole, or where no
/// divisor of an axis gives parts of a useful length.
std::optional<Parts> parts_of(const Tensor& x, const Axes& axes);

/// Whether one kernel joins the parts of each row.
bool are_joined_at_once(const Parts& parts);

/// Whether parts_of() gives as few parts as a kernel joins.
bool has_few_parts(const Tensor& x, const Axes& axes);

/// x along the last of `axes`, which is x's last: what parts_of() cuts, and the shorter rest.
struct Split {
  Tensor head, rest;
};

/// On a GPU, of many elements in rows that no kernel takes whole and no divisor cuts into as few parts as a kernel
/// joins; nothing else, and nothing of columns.
std::optional<Split> split_of(const Tensor& x, const Axes& axes);

/// All of x in the order of memory: rows that a kernel takes, which begin at whole vectors, and what lies before and
/// behind them, if anything.
struct PartsInMemory {
  Tensor head;
  std::vector<Tensor> rests;
};

/// Rows of `part` elements, on a GPU, of an f32 tensor in memory that no cache holds, without gaps, through which no
/// derivative goes. Flipped axes are read forwards.
std::optional<PartsInMemory> parts_in_memory(const Tensor& x, int64_t part);

/// The same of rows whose length leaves few elements, of x that a cache may hold.
std::optional<PartsInMemory> parts_with_little_rest(const Tensor& x);

/// All of x, of memory with gaps: as few equal parts as a kernel joins, and what few elements are left, if any.
struct PartsAndRest {
  Parts parts;
  Tensor rest;
};

/// On a GPU, of x in the order of its memory through which no derivative goes.
std::optional<PartsAndRest> parts_and_little_rest(const Tensor& x);

/// Whether all of x lies in its own order in memory, from a whole vector on.
bool lies_in_order(const Tensor& x);

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

/// Columns on a GPU whose length gives no parts, or more than a kernel joins: `head` is cut into equal ones, `rest` is
/// what few rows are left.
struct SplitColumns {
  Parts head;
  Tensor rest;
  double share = 0;  ///< of the rest, among all
};

/// Of many elements, through which no derivative goes.
std::optional<SplitColumns> split_columns_of(const Tensor& x, const Axes& axes);

struct SplitMeans {
  Tensor parts, rest, all;
  bool known = false;
};

/// Of x, whose parts these are: as means_of(), the same tensors for a mean and a variance.
SplitMeans means_of(const SplitColumns& split, const Tensor& x, const Axes& axes);

/// (1 - share) of_head + share of_rest; exact where both are equal, and of infinities their sum.
Tensor joined(const Tensor& of_head, const Tensor& of_rest, double share);

/// x with one of the elements that repeat along such axes, on a GPU: their means and variances are the same.
Tensor without_repeats(const Tensor& x, const Axes& axes);

/// x, and along which axes its rows are.
struct Rows {
  Tensor x;
  Axes axes;
};

/// On a GPU, x with its rows along its last axes as one axis, where they lie so in memory: a length that has parts
/// where those of the axes have none. Else x.
Rows with_one_axis(const Tensor& x, const Axes& axes);

/// Rows whose axes may lie in another order, and the order of a result's axes that are left, as permute() takes it.
struct OrderedRows {
  Tensor x;
  Axes axes, left;
};

/// On a GPU, x with its axes in the order of its memory, and where `axes` are then: of many elements, where the axes
/// that are left keep their order. Else x.
Rows in_order_of_memory(const Tensor& x, const Axes& axes);

/// The same of a mean whose last axis then is a short run between what other rows have, so that parts_of_mean() takes
/// the others first; x may be computed.
OrderedRows with_runs_last(const Tensor& x, const Axes& axes);

/// x with such axes forwards that are flipped in memory, on a GPU: means and variances along them are the same.
Tensor forwards_along(const Tensor& x, const Axes& axes);

/// The sum of all elements that a mean divides. On a GPU that of many that are computed is added in any order, since
/// what they are computed of may lie in several.
Tensor sum_of_mean(const Tensor& x);
/// The mean along `axes`, added in any order: other kernels' chains may compute it on the way.
Tensor mean_in_any_order(const Tensor& x, const Axes& axes);

}  // namespace eglantine::verbs
