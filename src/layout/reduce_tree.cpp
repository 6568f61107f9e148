#include "layout/reduce_tree.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/layout.hpp"

namespace eglantine::layout {
namespace {

/// The strides of the operand whose memory order the reduction follows; of the domain as if stored, where no operand
/// has one.
std::vector<int64_t> dominant(const Shape& shape, const std::vector<Layout>& operands) {
  const auto furthest = std::max_element(operands.begin(), operands.end(), [](const Layout& a, const Layout& b) {
    return reach(a).count() < reach(b).count();
  });
  const bool any_stride = furthest != operands.end() && reach(*furthest).count() > 1;
  return any_stride ? furthest->strides : contiguous(shape).strides;
}

/// The axis of length > 1 with the smallest non-zero stride, the last among equals; -1 when there is none.
int innermost(const Shape& shape, const std::vector<int64_t>& strides) {
  int best = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] <= 1 || strides[i] == 0) continue;
    if (best < 0 || std::abs(strides[i]) <= std::abs(strides[best])) best = i;
  }
  return best;
}

}  // namespace

ReduceOrder reduce_order(const Shape& shape, const std::vector<Layout>& operands, const Axes& reduced) {
  const std::vector<int64_t> strides = dominant(shape, operands);
  const int inner = innermost(shape, strides);
  const auto is_reduced = [&](int axis) { return std::find(reduced.begin(), reduced.end(), axis) != reduced.end(); };
  bool keeps = false;
  for (int i = 0; i < shape.rank(); ++i) keeps |= shape[i] > 1 && !is_reduced(i);

  ReduceOrder order{keeps && !is_reduced(inner) ? ReduceTree::column : ReduceTree::row, reduced};
  const auto further = [&](int64_t a, int64_t b) { return std::abs(strides[a]) > std::abs(strides[b]); };
  if (!std::is_sorted(order.reduced.begin(), order.reduced.end(), further))  // sorting takes memory
    std::stable_sort(order.reduced.begin(), order.reduced.end(), further);
  return order;
}

}  // namespace eglantine::layout
