#include "backend/waiting.hpp"

namespace eglantine {
namespace {

/// Lets the core's other thread run.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

bool watch(const std::atomic<bool>& flag, std::chrono::nanoseconds patience) {
  if (flag.load(std::memory_order_acquire)) return true;
  if (patience.count() == 0) return false;
  for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
    for (int i = 0; i < 8; ++i) {
      if (flag.load(std::memory_order_acquire)) return true;
      pause();
    }
  }
  return false;
}

std::unique_lock<std::mutex> lock_of(std::mutex& mutex) {
  constexpr int looks = 1000;
  for (int i = 0; i < looks; ++i) {
    if (mutex.try_lock()) return {mutex, std::adopt_lock};
    pause();
  }
  return std::unique_lock(mutex);
}

}  // namespace eglantine
