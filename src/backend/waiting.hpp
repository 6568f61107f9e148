#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

/// Spinning for another thread: a wake-up takes longer than a small kernel.
namespace eglantine {

/// Spins until another thread sets `flag`, for at most spin_time. Returns whether it was set.
bool spin(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);

/// spin() that yields between polls.
bool spin_and_yield(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);

/// Locks a mutex that is held only briefly: spins before it blocks.
std::unique_lock<std::mutex> lock_spinning(std::mutex& mutex);

}  // namespace eglantine
