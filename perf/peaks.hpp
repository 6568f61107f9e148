#pragma once

#include <eglantine/eglantine.hpp>

namespace eglantine::perf {

/// What a device can do at most, measured by kernels that have nothing to do with the library's own.
struct Peaks {
  double copy_bytes = 0;  ///< a second, read and written, by the best of several ways to copy
  double operations = 0;  ///< a second: f32 multiplications and additions, in chains that need no memory
};

Peaks measure_peaks(const Device& device);

// One for each kind of device.
Peaks cpu_peaks();
Peaks gl_peaks(const DeviceInfo& info);

}  // namespace eglantine::perf
