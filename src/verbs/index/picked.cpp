#include "verbs/index/picked.hpp"

#include "evaluate/pend.hpp"
#include "graph/node.hpp"

namespace eglantine::verbs {
namespace {

// Of longer rows an element is a smaller part than a sector of memory; fewer elements are gathered in no more time.
constexpr int64_t longest_picked = 64, fewest_picked_from = int64_t{1} << 20;

/// Over x, the index's elements: the same for all elements of a row.
Tensor over_rows(const Tensor& at, const Tensor& x, const Shape& shape, const IntList& axes) {
  const Layout of_index = layout::contiguous(shape);
  Layout layout{x.shape(), std::vector<int64_t>(static_cast<size_t>(x.rank()), 0), 0};
  for (int i = 0; i < shape.rank(); ++i)
    if (axes[i] >= 0) layout.strides[static_cast<size_t>(axes[i])] = of_index.strides[static_cast<size_t>(i)];
  return Tensor(make_view(at.node(), layout));
}

}  // namespace

bool can_pick(const Tensor& x, int axis, const Shape& shape, const IntList& axes) {
  const int64_t length = x.shape()[axis];
  if (!is_gpu(x.device()) || x.dtype() != DType::f32 || x.size() < fewest_picked_from || length < 2 ||
      length > longest_picked || shape.elements() * length != x.size())
    return false;
  int64_t last = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (axes[i] < 0 && shape[i] == 1) continue;
    if (axes[i] <= last || axes[i] == axis || shape[i] != x.shape()[static_cast<int>(axes[i])]) return false;
    last = axes[i];
  }
  return true;
}

Tensor picked(const Tensor& x, int axis, const Shape& shape, const IntList& axes, const GatherElements& gather) {
  const int64_t length = x.shape()[axis];
  IntList none;
  for (int i = 0; i < shape.rank(); ++i) none.push_back(-1);
  const Tensor places = arange(0, static_cast<double>(length), 1, DType::u8, x.device());
  const Tensor at = gather(places.node(), none, 0).astype(DType::u32);
  Layout along{x.shape(), std::vector<int64_t>(static_cast<size_t>(x.rank()), 0), 0};
  along.strides[static_cast<size_t>(axis)] = 1;
  const Tensor place(make_view(iota(x.device(), {length}).node(), along));
  const Tensor chosen = where(eq(place, over_rows(at, x, shape, axes)), x, -0.0F);
  return pend(make_sum_in_any_order(chosen.node(), {axis})).reshape(shape);
}

}  // namespace eglantine::verbs
