#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "system/thread.hpp"

namespace eglantine {

/// Threads to compute on: $EGLANTINE_THREADS (1 to 1024, else throws DeviceError, naming `function`), or every core.
int thread_count(std::string_view function);

/// As many threads as move memory at the rate of a GPU's bus, or every core if there are fewer.
int threads_for_memory();

/// Threads that share ranges of work with the caller as long as the pool lives. Waking one takes longer than a small
/// kernel: a worker spins before it blocks, and a caller waits only for the workers that took a chunk.
class ThreadPool {
 public:
  using Body = std::function<void(int64_t begin, int64_t end)>;

  /// `threads`: with the caller's; fewer where the system has no more. `name`: of the others, for debuggers.
  ThreadPool(int threads, const std::string& name);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls body on contiguous chunks that cover [0, count) once, each (but the last) of at least `grain`, on several
  /// threads if there are several chunks. Returns when all are done; throws the first exception of a chunk.
  void parallel_for(int64_t count, int64_t grain, const Body& body);
  /// The same on ranges of memory that end on whole pages from its beginning.
  void parallel_for_bytes(int64_t bytes, const Body& body);

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
  int asleep_ = 0;                  ///< workers blocked on started_
  std::atomic<bool> stopping_{false};
  const Body* body_ = nullptr;  ///< null when no round is open: a late worker does not join
  int64_t count_ = 0, chunk_ = 0;
  std::atomic<int64_t> next_{0};
  std::exception_ptr error_;
};

}  // namespace eglantine
