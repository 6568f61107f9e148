#include "backend/gl/context/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "backend/gl/execution/program_store.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/error.hpp"
#include "lower/contraction/tuning.hpp"

namespace eglantine::gl {

std::optional<int64_t> integer_from_environment(const char* name, int64_t smallest) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view digits(text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < smallest) {
    throw DeviceError("[Device::open] " + std::string(name) + " is \"" + text +
                      "\"; it must be a whole number of at least " + std::to_string(smallest) + ", or not set");
  }
  return value;
}

// Smaller, a block of the reduction tree would not fit a binding.
std::optional<int64_t> max_block_bytes_setting() { return integer_from_environment("EGLANTINE_MAX_BLOCK_BYTES", 4096); }
// The minimum of GLES 3.1.
std::optional<int64_t> max_bindings_setting() { return integer_from_environment("EGLANTINE_MAX_BINDINGS", 4); }
std::optional<int64_t> max_invocations_setting() { return integer_from_environment("EGLANTINE_MAX_INVOCATIONS", 128); }
std::optional<int64_t> longest_dispatch_setting() { return integer_from_environment("EGLANTINE_LONGEST_DISPATCH", 1); }
std::optional<int64_t> timeout_seconds_setting() { return integer_from_environment("EGLANTINE_TIMEOUT_SECONDS", 1); }

MemoryKind memory_setting() {
  const char* text = std::getenv("EGLANTINE_MEMORY");
  if (text == nullptr || *text == '\0') return MemoryKind::automatic;
  if (std::string_view(text) == "plain") return MemoryKind::plain;
  if (std::string_view(text) == "imported") return MemoryKind::imported;
  throw DeviceError(std::string("[Device::open] EGLANTINE_MEMORY is \"") + text +
                    "\"; it must be plain or imported, or not set");
}

ClockKind clock_setting() {
  const char* text = std::getenv("EGLANTINE_CLOCK");
  if (text == nullptr || *text == '\0') return ClockKind::automatic;
  if (std::string_view(text) == "kept") return ClockKind::kept;
  if (std::string_view(text) == "free") return ClockKind::free;
  throw DeviceError(std::string("[Device::open] EGLANTINE_CLOCK is \"") + text +
                    "\"; it must be kept or free, or not set");
}

bool hardware_forms_setting() {
  const char* text = std::getenv("EGLANTINE_FORMS");
  if (text == nullptr || *text == '\0') return false;
  if (std::string_view(text) == "hardware") return true;
  throw DeviceError(std::string("[Device::open] EGLANTINE_FORMS is \"") + text + "\"; it must be hardware, or not set");
}

bool is_set_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0';
}

void check_environment() {
  max_block_bytes_setting();
  max_bindings_setting();
  max_invocations_setting();
  longest_dispatch_setting();
  timeout_seconds_setting();
  memory_setting();
  clock_setting();
  hardware_forms_setting();
  lower::check_tuning_setting();
  programs_folder(true);
}

}  // namespace eglantine::gl
