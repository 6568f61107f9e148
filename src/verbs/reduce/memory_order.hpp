#pragma once

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

}  // namespace eglantine::verbs
