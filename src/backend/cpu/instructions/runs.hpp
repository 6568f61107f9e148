#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "eglantine/shape.hpp"

namespace eglantine::cpu {

/// Cuts elements [start, start + count), row-major in x.shape (>= 1 axis), at the ends of rows; calls visit(position,
/// length, address) for each run, from element start + position on, an innermost stride apart. Divides once a call.
template <class Visit>
void for_runs(const Layout& x, int64_t start, int64_t count, Visit visit) {
  const int inner = x.shape.rank() - 1;
  const auto stride = [&](int axis) { return x.strides[static_cast<size_t>(axis)]; };
  std::array<int64_t, max_rank> at{};
  int64_t rest = start, address = x.offset;
  for (int axis = inner; axis > 0; --axis) {
    at[static_cast<size_t>(axis)] = rest % x.shape[axis];
    rest /= x.shape[axis];
    address += at[static_cast<size_t>(axis)] * stride(axis);
  }
  at[0] = rest;
  address += rest * stride(0);

  for (int64_t position = 0; position < count;) {
    int64_t& inner_coordinate = at[static_cast<size_t>(inner)];
    const int64_t length = std::min(count - position, x.shape[inner] - inner_coordinate);
    visit(position, length, address);
    position += length;
    inner_coordinate += length;
    address += length * stride(inner);
    for (int axis = inner; axis > 0 && at[static_cast<size_t>(axis)] == x.shape[axis]; --axis) {
      at[static_cast<size_t>(axis)] = 0;
      ++at[static_cast<size_t>(axis) - 1];
      address += stride(axis - 1) - x.shape[axis] * stride(axis);
    }
  }
}

}  // namespace eglantine::cpu
