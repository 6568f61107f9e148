#pragma once

#include "verbs/build.hpp"

/// Tensors whose rows have the same means and variances as x's, and are read faster: from how x lies in memory, or what
/// it is computed of does, on GPUs, where no derivative goes through x.
namespace eglantine::verbs {

/// Whether x is the same all along an axis that it is broadcast over; false while it is traced.
bool repeats_along(const Tensor& x, int64_t axis);
/// x with one of the elements that repeat along such axes.
Tensor with_repeats_once(const Tensor& x, const Axes& axes);
/// Multiplications that computing results once must save, to be worth a copy of them to all places: of fewer the
/// dispatch takes longer.
inline constexpr int64_t multiplications_of_a_copy = int64_t{1} << 26;
/// The same on GPUs, for means: the bits of sums follow from how often an element is added.
Tensor without_repeats(const Tensor& x, const Axes& axes);

/// x, and along which axes its rows are.
struct Rows {
  Tensor x;
  Axes axes;
};

/// x with its rows along its last axes as one axis, where they lie so in memory: a length that has parts where those of
/// the axes have none. Else x.
Rows with_one_axis(const Tensor& x, const Axes& axes);

/// Rows whose axes may lie in another order, and the order of a result's axes that are left, as permute() takes it.
struct OrderedRows {
  Tensor x;
  Axes axes, left;
};

/// x with its axes in the order of its memory, and where `axes` are then: of many elements, where the axes that are
/// left keep their order. Else x.
Rows in_order_of_memory(const Tensor& x, const Axes& axes);

/// The same of a mean whose last axis then is a short run between what other rows have, so that parts_of_mean() takes
/// the others first; x may be computed.
OrderedRows with_runs_last(const Tensor& x, const Axes& axes);

/// x with such axes forwards that are flipped in memory.
Tensor forwards_along(const Tensor& x, const Axes& axes);

}  // namespace eglantine::verbs
