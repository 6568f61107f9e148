#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

/// Waiting for another thread without sleeping: to be woken takes longer than a small kernel.
namespace eglantine {

/// Looks for so long whether another thread has set `flag`.
bool spin(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);

/// The same, giving the core to whoever wants it.
bool spin_and_yield(const std::atomic<bool>& flag, std::chrono::nanoseconds spin_time);

/// Of a mutex that nobody holds for long: whoever finds it taken looks a while before it sleeps.
std::unique_lock<std::mutex> lock_spinning(std::mutex& mutex);

}  // namespace eglantine
