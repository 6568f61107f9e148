#pragma once

#include "eglantine/device.hpp"

namespace eglantine::perf {

/// Measures every tile that a product could take on the device, for several classes of products, and writes those that
/// beat the library's own choice by more than 3 % to the device's tuning file (backend/gl/tuning.hpp), telling what it
/// does. Throws DeviceError for the CPU backend, std::runtime_error where there is no place for the file.
void tune(const DeviceInfo& info);

}  // namespace eglantine::perf
