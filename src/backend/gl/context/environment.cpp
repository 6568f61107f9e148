#include "backend/gl/context/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "backend/gl/execution/programs/program_store.hpp"
#include "backend/gl/gl_backend.hpp"
#include "eglantine/error.hpp"
#include "lower/contraction/schedule/tuning.hpp"

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

namespace {

/// A variable's text, which is one of two words, or empty if not set; throws DeviceError for any other text.
std::string_view word_from_environment(const char* name, std::string_view one, std::string_view other) {
  const char* value = std::getenv(name);
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == one || text == other) return text;
  throw DeviceError("[Device::open] " + std::string(name) + " is \"" + value + "\"; it must be " + std::string(one) +
                    " or " + std::string(other) + ", or not set");
}

}  // namespace

// Smaller, a block of the reduction tree would not fit a binding.
std::optional<int64_t> max_block_bytes_setting() { return integer_from_environment("EGLANTINE_MAX_BLOCK_BYTES", 4096); }
// The minimum of GLES 3.1.
std::optional<int64_t> max_bindings_setting() { return integer_from_environment("EGLANTINE_MAX_BINDINGS", 4); }
std::optional<int64_t> max_invocations_setting() { return integer_from_environment("EGLANTINE_MAX_INVOCATIONS", 128); }
std::optional<int64_t> longest_dispatch_setting() { return integer_from_environment("EGLANTINE_LONGEST_DISPATCH", 1); }
std::optional<int64_t> timeout_seconds_setting() { return integer_from_environment("EGLANTINE_TIMEOUT_SECONDS", 1); }

MemoryKind memory_setting() {
  const std::string_view word = word_from_environment("EGLANTINE_MEMORY", "plain", "imported");
  return word.empty() ? MemoryKind::automatic : word == "plain" ? MemoryKind::plain : MemoryKind::imported;
}

ClockKind clock_setting() {
  const std::string_view word = word_from_environment("EGLANTINE_CLOCK", "kept", "free");
  return word.empty() ? ClockKind::automatic : word == "kept" ? ClockKind::kept : ClockKind::free;
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
