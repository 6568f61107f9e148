#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace eglantine {

/// A thread of the library's own. All signals but those of faults are blocked on it, and on the threads that a driver
/// starts from it: a program's handlers run on the program's threads.
class Thread {
 public:
  /// Compilers of shaders call themselves for each level of an expression, and drivers compile on the thread that asks.
  /// Of a stack only what is touched takes memory.
  static constexpr size_t stack_for_compilers = size_t{256} << 20;
  static constexpr size_t small_stack = size_t{8} << 20;

  Thread() = default;  ///< none
  /// Starts `work`, which must not throw, with a stack of so many bytes, or of fewer where there is no room for them.
  /// `name` (15 characters at most): what debuggers show. Throws DeviceError when no thread can be started.
  Thread(const std::string& name, size_t stack, std::function<void()> work);
  Thread(Thread&& other) noexcept;
  Thread& operator=(Thread&& other) noexcept;
  /// Joins. In a forked child, where the thread is not, it does nothing.
  ~Thread();

  bool joinable() const { return joinable_; }
  void join();
  void detach();
  /// Whether the calling thread is any of the library's.
  static bool is_of_library() noexcept;

  /// pthread_create, or what a test puts in its place. Returns what was there.
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static Create replace_creation(Create create);

 private:
  pthread_t handle_{};
  bool joinable_ = false;
};

/// As many of `count` threads as can be started, each of which does work(its number): who shares out work can do with
/// fewer.
std::vector<Thread> start_threads(size_t count, const std::string& name, const std::function<void(size_t)>& work);

}  // namespace eglantine
