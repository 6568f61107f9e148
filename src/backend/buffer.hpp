#pragma once

#include <cstdint>
#include <exception>
#include <memory>

namespace eglantine {

class Queue;

/// Device memory of one backend. Only that backend's worker thread touches it.
class Storage {
 public:
  virtual ~Storage() = default;
};

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

  // On the worker thread only.
  Storage& storage() const { return *storage_; }
  bool has_storage() const { return storage_ != nullptr; }
  void set_storage(std::unique_ptr<Storage> storage) { storage_ = std::move(storage); }
  const std::exception_ptr& error() const { return error_; }
  void poison(std::exception_ptr error) { error_ = std::move(error); }

 private:
  std::shared_ptr<Queue> queue_;
  int64_t bytes_;
  std::unique_ptr<Storage> storage_;
  std::exception_ptr error_;
};

}  // namespace eglantine
