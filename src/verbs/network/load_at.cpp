#include "verbs/network/load_at.hpp"

#include <algorithm>
#include <limits>

#include "evaluate/evaluate.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine::verbs {

bool can_load_at(const Tensor& x, const Axes& axes) {
  const std::vector<int64_t> strides = layout::contiguous(x.shape()).strides;
  int64_t last = 0;
  for (int64_t axis : axes) last += (x.shape()[static_cast<int>(axis)] - 1) * strides[static_cast<size_t>(axis)];
  return last < std::min<int64_t>(limits_of(*x.node()).longest_row, std::numeric_limits<int32_t>::max());
}

Tensor load_at(const Tensor& x, const Axes& axes, const std::vector<Tensor>& indices, const Shape& shape) {
  nodes::LoadAt load{x.node(), {}, axes, {}};
  for (const Tensor& index : indices) load.indices.push_back(broadcast(index, shape));
  for (int axis = 0; axis < shape.rank(); ++axis)
    load.axes.push_back(axis < x.rank() && !axes.contains(axis) ? axis : -1);
  return pend(make_load_at(std::move(load)));
}

}  // namespace eglantine::verbs
