#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/failure.hpp"

namespace eglantine {

class Queue;

/// Device memory of one backend. Only that backend's worker thread touches it.
class Storage {
 public:
  virtual ~Storage() = default;
};

/// Whether a kernel's indices were in range; known when settled, maybe long after run(). On the worker thread only.
class Check {
 public:
  bool settled() const { return settled_; }
  bool good() const { return settled_ && !error_; }
  const Failure& error() const { return error_; }
  void settle(Failure error) {
    settled_ = true;
    error_ = std::move(error);
  }

 private:
  bool settled_ = false;
  Failure error_;
};
using CheckPtr = std::shared_ptr<Check>;

/// A tensor's memory on a device, from the submission of the kernel that fills it. The queue allocates its storage in
/// submission order and frees it after the last handle. A failed kernel stores its error here, for every read to throw.
class Buffer {
 public:
  Buffer(std::shared_ptr<Queue> queue, int64_t bytes) : queue_(std::move(queue)), bytes_(bytes) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int64_t bytes() const { return bytes_; }
  Queue& queue() const { return *queue_; }
  /// The host will read it: a backend may use memory that the host reads faster. Call before submitting its kernel.
  void expect_reading() { is_for_reading_ = true; }
  /// Whether what was to fill it is known to have failed; on any thread.
  bool has_failed() const { return has_failed_.load(std::memory_order_relaxed); }

  // On the worker thread only.
  Storage& storage() const { return *storage_; }
  bool has_storage() const { return storage_ != nullptr; }
  void set_storage(std::unique_ptr<Storage> storage) { storage_ = std::move(storage); }
  /// Whether the storage is, or will be, in memory that the host reads faster, and kernels slower.
  bool is_for_reading() const { return is_for_reading_; }
  /// Kernels read it from now on: from `copy`, or from the present storage if `copy` is null.
  void serve_kernels(std::unique_ptr<Storage> copy) {
    if (copy) storage_ = std::move(copy);
    is_for_reading_ = false;
  }
  void retire();          ///< frees the storage; the worker's handle is the last; any thread may destroy the rest
  Failure error() const;  ///< as far as it is known: unsettled checks may still add one
  void poison(Failure error) {
    error_ = std::move(error);
    has_failed_.store(true, std::memory_order_relaxed);
  }
  bool unsettled() const;
  /// The contents are valid only if the check succeeds (for a source: if all of its checks do).
  void depend_on(const CheckPtr& check);
  void depend_on(const Buffer& source);

 private:
  std::shared_ptr<Queue> queue_;
  const int64_t bytes_;
  bool is_for_reading_ = false;
  std::unique_ptr<Storage> storage_;
  Failure error_;
  std::atomic<bool> has_failed_ = false;
  std::vector<CheckPtr> checks_;  ///< at most as many as a backend leaves unsettled
};

}  // namespace eglantine
