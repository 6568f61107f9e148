#pragma once

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

/// Whether a kernel's indices were in range, which a device may tell only after it has run: what came of it is known
/// once the backend has settled it. On the worker thread only.
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

/// A tensor's memory on a device, from the moment a kernel that will fill it is submitted. The queue gives it its
/// storage in submission order and takes it back when the last handle goes. A kernel that failed leaves its error here:
/// every reading of the buffer throws it.
class Buffer {
 public:
  Buffer(std::shared_ptr<Queue> queue, int64_t bytes) : queue_(std::move(queue)), bytes_(bytes) {}
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  int64_t bytes() const { return bytes_; }
  Queue& queue() const { return *queue_; }
  /// Somebody waits for the contents: a backend may put them where the host sees them. Before the kernel that fills the
  /// buffer is submitted.
  void expect_reading() { is_for_reading_ = true; }

  // On the worker thread only.
  Storage& storage() const { return *storage_; }
  bool has_storage() const { return storage_ != nullptr; }
  void set_storage(std::unique_ptr<Storage> storage) { storage_ = std::move(storage); }
  /// Whether the storage is, or will be, of the kind that the host reads sooner, and kernels later.
  bool is_for_reading() const { return is_for_reading_; }
  /// From now on kernels read it too: `copy` is where, or null where it is as good as it is.
  void serve_kernels(std::unique_ptr<Storage> copy) {
    if (copy) storage_ = std::move(copy);
    is_for_reading_ = false;
  }
  /// Only the worker has a handle, and nothing comes any more but its end, on whatever thread.
  void retire();
  /// Why the contents are no good, as far as is known: more may come of unsettled checks.
  Failure error() const;
  void poison(Failure error) { error_ = std::move(error); }
  bool unsettled() const;
  /// The contents are good only if the check comes out well, or if all of `source`'s do.
  void depend_on(const CheckPtr& check);
  void depend_on(const Buffer& source);

 private:
  std::shared_ptr<Queue> queue_;
  const int64_t bytes_;
  bool is_for_reading_ = false;
  std::unique_ptr<Storage> storage_;
  Failure error_;
  std::vector<CheckPtr> checks_;  ///< no more than a backend leaves unsettled
};

}  // namespace eglantine
