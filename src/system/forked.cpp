#include "system/forked.hpp"

#include <pthread.h>

#include <cstdint>
#include <string>

#include "eglantine/error.hpp"

namespace eglantine {

namespace detail {
constinit std::atomic<bool> forked = false;
}

namespace {

constinit std::atomic<int64_t> uses = 0;

void in_child() {
  if (uses.load(std::memory_order_relaxed) > 0) detail::forked.store(true, std::memory_order_relaxed);
}

void register_handler() { [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, &in_child); }

// Before there are threads: a fork during a static's initialisation would leave its lock held for ever in the child.
[[maybe_unused]] const bool registered_early = [] {
  register_handler();
  return true;
}();

}  // namespace

/// Statics of other files may use the library before ours are initialised.
InUse::InUse() noexcept {
  register_handler();
  uses.fetch_add(1, std::memory_order_relaxed);
}

InUse::~InUse() { uses.fetch_sub(1, std::memory_order_relaxed); }

void require_own_process(std::string_view function) {
  if (!was_forked()) return;
  throw DeviceError("[" + std::string(function) +
                    "] this process was forked from one that had opened a device, and cannot use it or open another; "
                    "fork first, or start a new program");
}

}  // namespace eglantine
