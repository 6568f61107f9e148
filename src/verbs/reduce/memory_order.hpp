#pragma once

#include <optional>

#include "layout/permutation.hpp"
#include "layout/reduce_tree.hpp"
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

/// What a reduction of x over `axes` reads on the host's own processor: x in the order of its memory, where that is
/// another, so that results lie as what is computed of x beside them does (elementwise()). A GPU's kernels find that
/// order by themselves. Elements are added as those of x are, and the results count as stored row-major, so that no bit
/// depends on it.
struct ReductionInMemory {
  Tensor at;
  layout::ReduceOrder order;
  std::optional<Layout> back{};  ///< of the results as x's axes order them
};
ReductionInMemory reduction_in_memory(const Tensor& x, const Axes& axes);

/// of(at, order), the reduction of x over these axes, without them.
template <class Of>
Tensor reduced_in_memory_order(const Tensor& x, const Axes& axes, Of of) {
  const ReductionInMemory reads = reduction_in_memory(x, axes);
  const Tensor y = of(reads.at, reads.order);
  return reads.back ? Tensor(make_result_view(y.node(), *reads.back)) : y;
}

}  // namespace eglantine::verbs
