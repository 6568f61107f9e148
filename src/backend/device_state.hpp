#pragma once

#include <memory>

#include "backend/queue.hpp"
#include "eglantine/device.hpp"

namespace eglantine {

/// What a Device handle shares: the queue, and through it the backend.
class DeviceState {
 public:
  explicit DeviceState(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
  Queue& queue() const { return *queue_; }
  const DeviceInfo& info() const { return queue_->backend().info(); }
  const Capabilities& capabilities() const { return queue_->backend().capabilities(); }

 private:
  std::shared_ptr<Queue> queue_;
};

}  // namespace eglantine
