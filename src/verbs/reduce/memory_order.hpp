#pragma once

#include <algorithm>
#include <optional>

#include "layout/permutation.hpp"
#include "verbs/build.hpp"

namespace eglantine::verbs {

/// x's axes in the order of memory, if that is another: x is a view, through which neighbours along the last axis lie
/// in sectors apart, and neighbours along another one beside each other. Of many elements: who reads what is computed
/// in that order may have to transpose it.
std::optional<Axes> order_in_memory(const Tensor& x);

/// of(x, axis), whose result has x's shape, where results and x's elements both lie in the order of x's memory: a view
/// of a kernel's result that reads and writes in one order. That of a transposed x would read it across or write
/// across.
template <class Of>
Tensor in_memory_order(const Tensor& x, int axis, Of of) {
  const std::optional<Axes> order = order_in_memory(x);
  if (!order) return of(x, axis);
  const Axes back = layout::inverse_of(*order);
  return of(x.permute(*order), static_cast<int>(back[axis])).permute(back);
}

/// of(x, axes): the reduction of x over these axes, without them. Where x is read on the host's own processor, in the
/// order of memory: its result is a view that lies as what is computed of x beside it (elementwise()). A GPU's kernels
/// find that order by themselves.
template <class Of>
Tensor reduced_in_memory_order(const Tensor& x, const Axes& axes, Of of) {
  const std::optional<Axes> order = is_gpu(x.device()) || x.node()->is_traced() ? std::nullopt : order_in_memory(x);
  if (!order) return of(x, axes);
  const Axes back = layout::inverse_of(*order);
  Axes there;
  for (const int64_t axis : axes) there.push_back(back[static_cast<int>(axis)]);
  std::sort(there.begin(), there.end());
  const Tensor at = x.permute(*order);
  return of(at, there).reshape(reduced_shape(at.shape(), there, true)).permute(back).squeeze(axes);
}

}  // namespace eglantine::verbs
