#pragma once

#include <atomic>
#include <string_view>

namespace eglantine {

/// While one lives, a forked child cannot use the library: locks may be held, and the threads that it needs stay behind
/// in the parent. Every queue holds one, and so does a call that opens or lists devices.
class InUse {
 public:
  InUse() noexcept;
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
};

namespace detail {
extern std::atomic<bool> forked;
}

/// Whether this process was forked while the library was in use: then it must not take its locks, nor wait for its
/// threads. A flag, as getpid(), a system call, may cost as much as the rest of submitting a kernel.
inline bool was_forked() noexcept { return detail::forked.load(std::memory_order_relaxed); }

/// Throws DeviceError in such a child, naming `function`. Functions that may block call it before they take a lock.
void require_own_process(std::string_view function);

}  // namespace eglantine
