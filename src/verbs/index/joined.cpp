#include "verbs/index/joined.hpp"

#include <algorithm>

#include "graph/index_check.hpp"
#include "layout/layout.hpp"

namespace eglantine::verbs {

Layout numbered(const Shape& result, const Shape& places, int at) {
  const Layout order = layout::contiguous(places);
  Layout number{result, std::vector<int64_t>(static_cast<size_t>(result.rank()), 0), 0};
  std::copy(order.strides.begin(), order.strides.end(), number.strides.begin() + at);
  return number;
}

IndexCheck joint_check(std::string_view function, const Shape& shape, const IntList& axes, const Shape& places,
                       const Layout& place) {
  if (axes.rank() > 1) return {std::string(function), shape, 0, places, place, axes};
  if (axes[0] < 0) return {std::string(function), {1}, 0, places, place};
  return {std::string(function), shape, static_cast<int>(axes[0]), places, place};
}

bool joinable(const Shape& axes) {
  int64_t count = 1;
  for (int64_t length : axes)
    if (length > most_joined || (count *= length) > most_joined) return false;
  return true;
}

void require_joinable(std::string_view function, const Tensor& x, const Shape& axes) {
  if (!joinable(axes))
    check::fail<ShapeError>(function, "the indexed axes of ", to_string(x.shape()),
                            " together are longer than i32 indices reach, 2^31 - 9; work on slices of it");
}

Tensor joined_index(const std::vector<AxisIndex>& along, Tensor start) {
  std::vector<Tensor> outside;
  for (const AxisIndex& each : along) {
    const auto length = static_cast<int32_t>(each.length);
    const Tensor front = where(each.index < 0, each.index + length, each.index);
    outside.push_back(front.astype(DType::u32) >= static_cast<uint32_t>(length));
    start = start + front * static_cast<int32_t>(each.stride);
  }
  for (size_t i = outside.size(); i-- > 0;) start = where(outside[i], outside_of(static_cast<int>(i)), start);
  return start;
}

}  // namespace eglantine::verbs
