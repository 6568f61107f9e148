#include "verbs/index/joined.hpp"

#include <algorithm>

#include "graph/kernel/index_check.hpp"
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

namespace {

bool is_zero(const Tensor& x) {
  const auto* constant = x.node()->as<nodes::Constant>();
  return constant != nullptr && constant->bits == 0;
}

}  // namespace

/// A negative index is a large unsigned one, so that the least of it and of what it is from the axis's end lies in the
/// axis or behind it. The caller waits for each node.
Tensor joined_index(const std::vector<AxisIndex>& along, const Tensor& start) {
  std::vector<Tensor> outside;
  Tensor sum;
  for (const AxisIndex& each : along) {
    const auto length = static_cast<uint32_t>(each.length);
    const Tensor index = each.index.astype(DType::u32), front = minimum(index, index + length);
    outside.push_back(front >= length);
    const Tensor part = each.stride == 1 ? front : front * static_cast<uint32_t>(each.stride);
    sum = sum.defined() ? sum + part : part;
  }
  Tensor place = sum.astype(DType::i32);
  if (!is_zero(start)) place = place + start;
  for (size_t i = outside.size(); i-- > 0;) place = where(outside[i], outside_of(static_cast<int>(i)), place);
  return place;
}

}  // namespace eglantine::verbs
