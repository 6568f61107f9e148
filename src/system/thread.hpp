#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace eglantine {

/// A thread of the library's own. All signals but faults are blocked on it, and on threads that a driver starts from
/// it, so that a program's handlers run on the program's threads.
class Thread {
 public:
  /// Shader compilers recurse over expressions, and drivers compile on the calling thread. Only touched pages of a
  /// stack take memory.
  static constexpr size_t stack_for_compilers = size_t{256} << 20;
  static constexpr size_t small_stack = size_t{8} << 20;

  Thread() = default;  ///< no thread
  /// Starts `work`, which must not throw, with a stack of `stack` bytes, or fewer where they are not available. `name`:
  /// at most 15 characters, for debuggers. Throws DeviceError when no thread can be started.
  Thread(const std::string& name, size_t stack, std::function<void()> work);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  /// Joins, except in a forked child, which has no such thread.
  ~Thread();

  bool joinable() const { return joinable_; }
  void join();
  void detach();
  /// Whether the calling thread is one of the library's.
  static bool is_of_library() noexcept;

  /// Replaces pthread_create, for tests. Returns the previous function.
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static Create replace_creation(Create create);

 private:
  pthread_t handle_{};
  bool joinable_ = false;
};

/// Starts up to `count` threads, each of which runs work(its number): as many as the system allows.
std::vector<Thread> start_threads(size_t count, const std::string& name, const std::function<void(size_t)>& work);

}  // namespace eglantine
