#pragma once

#include <cstdint>

namespace eglantine::test::naive {

/// An index that may count from the end, counted from the front.
inline int64_t from_front(double index, int64_t length) {
  const auto i = static_cast<int64_t>(index);
  return i < 0 ? i + length : i;
}

}  // namespace eglantine::test::naive
