#include "layout/reduce_tree.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/layout.hpp"

namespace eglantine::layout {
namespace {

/// The operand whose memory order the reduction follows; the domain as if stored, where no operand has a stride.
Layout dominant(const Shape& shape, const std::vector<Layout>& operands) {
  const auto furthest = std::max_element(operands.begin(), operands.end(), [](const Layout& a, const Layout& b) {
    return reach(a).count() < reach(b).count();
  });
  const bool any_stride = furthest != operands.end() && reach(*furthest).count() > 1;
  return any_stride ? *furthest : contiguous(shape);
}

/// The axis of length > 1 with the smallest non-zero stride, the last among equals; -1 when there is none.
int innermost(const Layout& x) {
  int best = -1;
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (x.shape[i] <= 1 || x.strides[i] == 0) continue;
    if (best < 0 || std::abs(x.strides[i]) <= std::abs(x.strides[best])) best = i;
  }
  return best;
}

}  // namespace

ReduceOrder reduce_order(const Shape& shape, const std::vector<Layout>& operands, const Axes& reduced) {
  const Layout x = dominant(shape, operands);
  const int inner = innermost(x);
  const auto is_reduced = [&](int axis) { return std::find(reduced.begin(), reduced.end(), axis) != reduced.end(); };
  bool keeps = false;
  for (int i = 0; i < shape.rank(); ++i) keeps |= shape[i] > 1 && !is_reduced(i);

  ReduceOrder order{keeps && !is_reduced(inner) ? ReduceTree::column : ReduceTree::row, reduced};
  std::stable_sort(order.reduced.begin(), order.reduced.end(),
                   [&](int64_t a, int64_t b) { return std::abs(x.strides[a]) > std::abs(x.strides[b]); });
  return order;
}

}  // namespace eglantine::layout
