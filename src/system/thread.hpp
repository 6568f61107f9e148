#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace eglantine {

/// A library thread. It and driver threads it starts block all signals but faults: handlers run on program threads.
class Thread {
 public:
  /// Shader compilers recurse over expressions on the calling thread; only touched pages of a stack take memory.
  static constexpr size_t stack_for_compilers = size_t{256} << 20;
  static constexpr size_t small_stack = size_t{8} << 20;

  Thread() = default;  ///< no thread
  /// `work` must not throw. `stack`: bytes, or fewer where they are not available. `name`: at most 15 characters, for
  /// debuggers. Throws DeviceError when no thread can be started.
  Thread(const std::string& name, size_t stack, std::function<void()> work);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  ~Thread();  ///< joins, except in a forked child, which has no such thread

  bool joinable() const { return joinable_; }
  void join();
  void detach();
  static bool is_of_library() noexcept;  ///< whether the calling thread is

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
