#include "backend/fork_count.hpp"

#include <pthread.h>

#include <atomic>

namespace eglantine {

namespace {

std::atomic<int64_t> forks = 0;

}  // namespace

int64_t fork_count() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  return forks.load(std::memory_order_relaxed);
}

}  // namespace eglantine
