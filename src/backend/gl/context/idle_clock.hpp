#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace eglantine::gl {

/// Keeps what holds a GPU's clock up, from a while after the device's first work until the device is closed.
class IdleClock {
 public:
  /// Begins to hold, and returns what ends it when destroyed; null where nothing can be held. On a thread of its own,
  /// since it may take a tenth of a second.
  using Hold = std::function<std::shared_ptr<void>()>;
  static constexpr std::chrono::milliseconds grace{500};  ///< a shorter process does without

  explicit IdleClock(Hold hold, std::chrono::milliseconds wait = grace) : hold_(std::move(hold)), wait_(wait) {}
  ~IdleClock();
  IdleClock(const IdleClock&) = delete;
  IdleClock& operator=(const IdleClock&) = delete;

  /// Called with each kernel.
  void work_begins() {
    if (hold_ && !thread_.joinable()) thread_ = std::thread([this] { hold_after_a_while(); });
  }

 private:
  void hold_after_a_while();

  Hold hold_;
  std::chrono::milliseconds wait_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  std::shared_ptr<void> held_;
  std::thread thread_;
};

/// A CUDA context on the GL device with the UUID, hexadecimal: while a card has one, its clock does not fall when it
/// waits. Null without libcuda.so.1; nothing is held on a card of less memory than `smallest_memory` bytes, since a
/// context takes half a GiB.
IdleClock::Hold cuda_context(const std::string& uuid, size_t smallest_memory);
constexpr size_t memory_to_spare = size_t{32} << 30;

}  // namespace eglantine::gl
