#pragma once

#include <string>

#include "eglantine/device.hpp"

namespace eglantine::perf {

/// Measures what schedules could choose on the device, for several classes of products and of matrices times few
/// columns whose names match `filter`, and writes what beats the library's own choice by more than 3 % to the device's
/// tuning file (lower/contraction/schedule/tuning.hpp), telling what it does. `file` is what set_tuning_aside() gave.
/// Throws DeviceError for the CPU backend, std::runtime_error where there is no place for the file.
void tune(const DeviceInfo& info, const std::string& file, const std::string& filter);

/// What EGLANTINE_TUNING names; from now on it says "off". Devices are measured without a tuning, and the file that it
/// names is still to be made.
std::string set_tuning_aside();

}  // namespace eglantine::perf
