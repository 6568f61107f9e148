#pragma once

#include <ostream>

#include "accuracy/measure.hpp"

namespace eglantine::accuracy {

/// Arguments of each operation when nothing else is asked for: more than 2^20 of them.
inline constexpr uint32_t default_stride = 4093;

/// Measures every operation on the device and prints a table in Markdown, row by row. Returns whether all of them do as
/// the operation table promises.
bool print_table(const Device& device, uint32_t stride, std::ostream& out);

/// The same on f16 and bf16, against narrow_promise.
bool print_narrow_table(const Device& device, uint32_t stride, std::ostream& out);

/// "exp(1.5) is 4.4816890, correctly rounded 4.4816895".
std::string text_of(const Operation& operation, const Sample& sample);

}  // namespace eglantine::accuracy
