#include "backend/waiting.hpp"

#include <thread>

namespace eglantine {
namespace {

/// Lets the core's other hardware thread run.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polls the flag eight times, then calls `between`, until the flag is set or the time is over.
template <class Between>
bool spin_between(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time, Between between) {
  if (flag.load(std::memory_order_acquire)) return true;
  if (spin_time.count() == 0) return false;
  for (const auto end = std::chrono::steady_clock::now() + spin_time; std::chrono::steady_clock::now() < end;) {
    for (int i = 0; i < 8; ++i) {
      if (flag.load(std::memory_order_acquire)) return true;
      pause();
    }
    between();
  }
  return false;
}

}  // namespace

bool spin(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time) {
  return spin_between(flag, spin_time, [] {});
}

bool spin_and_yield(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time) {
  return spin_between(flag, spin_time, [] { std::this_thread::yield(); });
}

std::unique_lock<std::mutex> lock_spinning(std::mutex& mutex) {
  constexpr int tries = 1000;
  for (int i = 0; i < tries; ++i) {
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
    pause();
  }
  return std::unique_lock(mutex);
}

}  // namespace eglantine
