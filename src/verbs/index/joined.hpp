#pragma once

#include <limits>

#include "verbs/build.hpp"

/// Tensors that index several axes together, as one index along those axes joined.
namespace eglantine::verbs {

/// Indices along joined axes stay clear of those that say what lies outside (outside_of).
constexpr int64_t most_joined = std::numeric_limits<int32_t>::max() - max_rank;

/// Whether the axes, joined, have at most most_joined elements.
bool joinable(const Shape& axes);

/// Throws ShapeError unless they are joinable; they are axes of x.
void require_joinable(std::string_view function, const Tensor& x, const Shape& axes);

/// i32 indices along an axis, negative ones counted from its end, and the distance between its elements.
struct AxisIndex {
  Tensor index;
  int64_t length, stride;
};

/// start + the sum of index * stride. Where one lies outside its axis: outside_of(the first such).
Tensor joined_index(const std::vector<AxisIndex>& along, Tensor start);

}  // namespace eglantine::verbs
