#pragma once

#include <atomic>
#include <string_view>

namespace eglantine {

/// While one lives, a child that is forked cannot use the library: locks may be held, and threads be needed, that stay
/// behind in the parent. Every queue has one, and so has whoever is about to open or list devices.
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

/// Whether this process was forked while the library was in use. Such a child must not take a lock of the library's,
/// nor wait for one of its threads. getpid() would tell as much, but by a system call, which may cost as much as all
/// the rest of submitting a kernel.
inline bool was_forked() noexcept { return detail::forked.load(std::memory_order_relaxed); }

/// Throws DeviceError in such a child, naming `function`. Whatever may block asks before it takes its first lock.
void require_own_process(std::string_view function);

}  // namespace eglantine
