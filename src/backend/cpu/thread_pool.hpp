#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "system/thread.hpp"

namespace eglantine::cpu {

/// The number of threads to compute on: $EGLANTINE_THREADS, else every core. Throws DeviceError, naming `function`,
/// when the variable is anything but a whole number from 1 to 1024.
int thread_count(std::string_view function);

/// A few threads that live as long as the backend and share out ranges of work. The caller works along. Kernels follow
/// each other closely, and waking a thread takes longer than a small one: a thread looks for more work for a moment
/// before it sleeps, and a caller that has taken the last piece waits only for threads that took one too.
class ThreadPool {
 public:
  using Body = std::function<void(int64_t begin, int64_t end)>;

  /// Fewer threads where no more can be started.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body on contiguous pieces that cover [0, count) once, each of at least `grain` (but the last), on several
  /// threads when there is more than one piece; returns when all are done. Throws the first exception a piece threw.
  void parallel_for(int64_t count, int64_t grain, const Body& body);

 private:
  void work();
  bool await_round(uint64_t& seen);
  void open_round(const Body& body, int64_t count, int64_t chunk);
  void close_round();
  void take_chunks(const Body& body);

  std::vector<Thread> workers_;
  std::mutex mutex_;
  std::condition_variable started_, finished_;
  std::atomic<uint64_t> round_{0};  ///< counts parallel_for calls, so that a worker joins each once
  std::atomic<int> busy_{0};        ///< workers that have joined this round
  int asleep_ = 0;                  ///< workers that wait for started_
  std::atomic<bool> stopping_{false};
  const Body* body_ = nullptr;  ///< null once the round is over: a worker that comes late does not join it
  int64_t count_ = 0, chunk_ = 0;
  std::atomic<int64_t> next_{0};
  std::exception_ptr error_;
};

}  // namespace eglantine::cpu
