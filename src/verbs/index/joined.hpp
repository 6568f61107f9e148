#pragma once

#include <limits>

#include "verbs/build.hpp"

/// Tensors that index several axes together, as one index along those axes joined.
namespace eglantine::verbs {

/// Indices along joined axes stay clear of those that say what lies outside (outside_of).
constexpr int64_t most_joined = std::numeric_limits<int32_t>::max() - max_rank;

/// Over a result's shape, in which the places' axes stand before axis `at` of the others: the row-major numbers of the
/// places, on which the other axes have no bearing.
Layout numbered(const Shape& result, const Shape& places, int at);

/// What reports an index outside of the axes of `shape` that the tensors of places index, one each; -1: of a new axis
/// of length 1. place: numbered().
IndexCheck joint_check(std::string_view function, const Shape& shape, const IntList& axes, const Shape& places,
                       const Layout& place);

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
Tensor joined_index(const std::vector<AxisIndex>& along, const Tensor& start);

}  // namespace eglantine::verbs
