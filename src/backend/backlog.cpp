#include "backend/backlog.hpp"

#include <algorithm>

namespace eglantine {

namespace {

void increase(std::atomic<int64_t>& counter, int64_t by) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

/// Capped: one kernel can fill a queue, and sums stay within 64 bits.
int64_t counted(int64_t bytes) { return std::min(bytes, Backlog::most_bytes); }

}  // namespace

void Backlog::add(int64_t bytes) {
  increase(kernels_added_, 1);
  increase(bytes_added_, counted(bytes));
}

void Backlog::remove(int64_t bytes) {
  increase(bytes_removed_, counted(bytes));
  // Before the load of waiting_, as waiters increment that before they load this: one of the two sees the other.
  kernels_removed_.store(kernels_removed_.load(std::memory_order_relaxed) + 1);
  if (waiting_ == 0 || !is_below(2)) return;
  // A waiter holds this mutex from checking its condition until it blocks, so the notification comes after it blocks.
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_all();
}

void Backlog::wait_for_space() {
  if (is_below(1) || closed_) return;
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return may_go_on(); });
  --waiting_;
}

void Backlog::close() {
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool Backlog::is_below(int64_t part) const {
  return (kernels_added_.load() - kernels_removed_.load()) * part < most_kernels &&
         (bytes_added_.load() - bytes_removed_.load()) * part < most_bytes;
}

}  // namespace eglantine
