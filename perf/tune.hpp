#pragma once

#include <string>

#include "eglantine/device.hpp"

namespace eglantine::perf {

/// Measures every tile that a product could take on the device, for several classes of products, and writes those that
/// beat the library's own choice by more than 3 % to the device's tuning file (backend/gl/tuning.hpp), telling what it
/// does. `file` is what set_tuning_aside() gave. Throws DeviceError for the CPU backend, std::runtime_error where there
/// is no place for the file.
void tune(const DeviceInfo& info, const std::string& file);

/// What EGLANTINE_TUNING names; from now on it says "off". Devices are measured without a tuning, and the file that it
/// names is still to be made.
std::string set_tuning_aside();

}  // namespace eglantine::perf
