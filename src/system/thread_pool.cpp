#include "system/thread_pool.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "eglantine/error.hpp"

namespace eglantine {

namespace {

constexpr int most_threads = 1024;
constexpr int64_t chunks_per_thread = 4;             // balances cores that differ in speed or are shared
constexpr std::chrono::microseconds spin_time{100};  // just longer than the serial kernels between parallel ones

/// Spins until `condition` holds, yielding, for at most spin_time. Returns whether it holds.
template <class Condition>
bool spin_until(const Condition& condition) {
  constexpr int tries = 64;
  for (const auto end = std::chrono::steady_clock::now() + spin_time; std::chrono::steady_clock::now() < end;) {
    for (int i = 0; i < tries; ++i) {
      if (condition()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    std::this_thread::yield();
  }
  return condition();
}

}  // namespace

int thread_count(std::string_view function) {
  const char* text = std::getenv("EGLANTINE_THREADS");
  if (text == nullptr || *text == '\0')
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, threads);
  if (parsed.ec != std::errc() || parsed.ptr != end || threads < 1 || threads > most_threads)
    throw DeviceError("[" + std::string(function) + "] EGLANTINE_THREADS is \"" + text +
                      "\": give a whole number of threads from 1 to " + std::to_string(most_threads) +
                      ", or unset it to use every core");
  return threads;
}

int threads_for_memory() {
  constexpr int most = 8;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most);
}

ThreadPool::ThreadPool(int threads, const std::string& name) {
  workers_ = start_threads(static_cast<size_t>(threads - 1), name, [this](size_t) { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  started_.notify_all();
  workers_.clear();  // joins, before the members that the workers use are destroyed
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, const Body& body) {
  if (count <= 0) return;
  const int64_t most = chunks_per_thread * threads();
  const int64_t chunk = std::max(grain, (count + most - 1) / most);
  if (workers_.empty() || chunk >= count) return body(0, count);
  open_round(body, count, chunk);
  take_chunks(body);
  close_round();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::parallel_for_bytes(int64_t bytes, const Body& body) {
  constexpr int64_t page = 4096;
  parallel_for((bytes + page - 1) / page, 1,
               [&](int64_t begin, int64_t end) { body(begin * page, std::min(bytes, end * page)); });
}

void ThreadPool::open_round(const Body& body, int64_t count, int64_t chunk) {
  const std::lock_guard lock(mutex_);
  body_ = &body;
  count_ = count;
  chunk_ = chunk;
  next_ = 0;
  error_ = nullptr;
  ++round_;
  if (asleep_ > 0) started_.notify_all();
}

/// Ends the round: no worker joins any more. Waits for those that have.
void ThreadPool::close_round() {
  {
    const std::lock_guard lock(mutex_);
    body_ = nullptr;
  }
  if (spin_until([this] { return busy_.load(std::memory_order_acquire) == 0; })) return;
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return busy_ == 0; });
}

/// Waits for a round after `seen`; false when the pool is stopping.
bool ThreadPool::await_round(uint64_t& seen) {
  const auto called = [&] { return stopping_ || round_ != seen; };
  if (!spin_until(called)) {
    std::unique_lock lock(mutex_);
    ++asleep_;
    started_.wait(lock, called);
    --asleep_;
  }
  seen = round_;
  return !stopping_;
}

void ThreadPool::work() {
  for (uint64_t seen = 0; await_round(seen);) {
    const Body* body = nullptr;
    {
      const std::lock_guard lock(mutex_);
      body = body_;
      seen = round_;  // the round of this body: another may have begun since
      if (body != nullptr) ++busy_;
    }
    if (body == nullptr) continue;
    take_chunks(*body);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) finished_.notify_one();
  }
}

void ThreadPool::take_chunks(const Body& body) {
  try {
    while (true) {
      const int64_t begin = next_.fetch_add(chunk_);
      if (begin >= count_) return;
      body(begin, std::min(count_, begin + chunk_));
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = count_;  // the other threads stop
  }
}

}  // namespace eglantine
