#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "eglantine/shape.hpp"

namespace eglantine::cpu {

/// Cuts elements [start, start + count), row-major in the shape (>= 1 axis) of `number` >= 1 layouts, at the ends of
/// rows; calls visit(position, length) for each run, from element start + position on, whose address by layouts[i] is
/// then addresses[i], and an innermost stride apart. Divides once a call.
template <class Visit>
void for_runs(const Layout* layouts, size_t number, int64_t* addresses, int64_t start, int64_t count, Visit visit) {
  const Shape& shape = layouts[0].shape;
  const int inner = shape.rank() - 1;
  const auto move = [&](int axis, int64_t steps) {
    for (size_t i = 0; i < number; ++i) addresses[i] += steps * layouts[i].strides[static_cast<size_t>(axis)];
  };
  std::array<int64_t, max_rank> at{};
  for (size_t i = 0; i < number; ++i) addresses[i] = layouts[i].offset;
  int64_t rest = start;
  for (int axis = inner; axis >= 0; --axis) {
    at[static_cast<size_t>(axis)] = axis > 0 ? rest % shape[axis] : rest;
    if (axis > 0) rest /= shape[axis];
    move(axis, at[static_cast<size_t>(axis)]);
  }

  for (int64_t position = 0; position < count;) {
    int64_t& inner_coordinate = at[static_cast<size_t>(inner)];
    const int64_t length = std::min(count - position, shape[inner] - inner_coordinate);
    visit(position, length);
    position += length;
    inner_coordinate += length;
    move(inner, length);
    for (int axis = inner; axis > 0 && at[static_cast<size_t>(axis)] == shape[axis]; --axis) {
      at[static_cast<size_t>(axis)] = 0;
      ++at[static_cast<size_t>(axis) - 1];
      move(axis, -shape[axis]);
      move(axis - 1, 1);
    }
  }
}

/// Of one layout: visit(position, length, address).
template <class Visit>
void for_runs(const Layout& x, int64_t start, int64_t count, Visit visit) {
  int64_t address = 0;
  for_runs(&x, 1, &address, start, count, [&](int64_t position, int64_t length) { visit(position, length, address); });
}

}  // namespace eglantine::cpu
