#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

/// Spinning for another thread: a wake-up takes longer than a small kernel.
namespace eglantine {

/// Spins until another thread sets `flag`, for at most spin_time. Returns whether it was set.
bool spin(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);
bool spin_and_yield(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);  ///< yields between polls
std::unique_lock<std::mutex> lock_spinning(std::mutex& mutex);  ///< for brief locks: spins before it blocks

}  // namespace eglantine
