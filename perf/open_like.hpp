#pragma once

#include <memory>

#include "backend/gl/execution/gl_runtime.hpp"
#include "eglantine/device.hpp"

namespace eglantine::perf {

/// A second context on the device, for kernels of the benchmark's own, current on the calling thread: not on a caller's
/// that may have one. Throws DeviceError.
std::unique_ptr<gl::GlRuntime> open_like(const DeviceInfo& info);

}  // namespace eglantine::perf
