#pragma once

#include "lower/runtime.hpp"

/// What the driver copies. On a software device that is a memcpy, while a kernel wakes threads and stores the
/// components of one invocation after another: 100,352 elements took llvmpipe 10 us so, and 70 to 130 by a kernel.
namespace eglantine::gl {

/// Runs a map that only moves elements, if they lie side by side in long rows before and after. False, and nothing is
/// done, where a kernel is to do it.
bool copy_by_driver(Runtime& runtime, const MapKernel& kernel);

/// Likewise a gather of long rows, whose indices the host reads. False as well where one of them lies outside its axis:
/// the kernel then tells of it.
bool copy_by_driver(Runtime& runtime, const GatherKernel& kernel);

}  // namespace eglantine::gl
