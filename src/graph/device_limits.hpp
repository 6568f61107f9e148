#pragma once

#include <cstdint>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// What a plan depends on of the device that it is for.
struct DeviceLimits {
  int64_t max_bindings = 16;               ///< storage buffers one kernel may read and write, its output included
  int64_t longest_row = int64_t{1} << 30;  ///< elements of a row that a RowKernel takes
  bool packs_booleans = false;             ///< kernels read packed buffers, and maps write them (Buffer::pack_booleans)

  /// Whether the result of a map lies packed.
  bool packs(DType dtype) const { return packs_booleans && dtype == DType::boolean; }
};

}  // namespace eglantine
