#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/gl/context/options.hpp"

namespace eglantine::gl {

/// A variable's whole number >= `smallest`; nothing if unset or empty; throws DeviceError for any other text (typos).
std::optional<int64_t> integer_from_environment(const char* name, int64_t smallest);

std::optional<int64_t> max_block_bytes_setting();   ///< $EGLANTINE_MAX_BLOCK_BYTES, at least 4096
std::optional<int64_t> max_bindings_setting();      ///< $EGLANTINE_MAX_BINDINGS, at least 4
std::optional<int64_t> max_invocations_setting();   ///< $EGLANTINE_MAX_INVOCATIONS, at least 128
std::optional<int64_t> longest_dispatch_setting();  ///< $EGLANTINE_LONGEST_DISPATCH, milliseconds, at least 1
std::optional<int64_t> timeout_seconds_setting();   ///< $EGLANTINE_TIMEOUT_SECONDS, at least 1
MemoryKind memory_setting();                        ///< $EGLANTINE_MEMORY, "plain" or "imported"
ClockKind clock_setting();                          ///< $EGLANTINE_CLOCK, "kept" or "free"
/// $EGLANTINE_FORMS, "hardware" or not set: whether kernels have their forms for hardware on a software device, too.
bool hardware_forms_setting();

bool is_set_in_environment(const char* name);  ///< set and not empty

}  // namespace eglantine::gl
