#pragma once

#include <memory>

#include "backend/queue.hpp"
#include "eglantine/device.hpp"

namespace eglantine {

/// What a Device handle shares: the queue, and what is known of the device for good, also when the queue has been
/// stopped.
class DeviceState {
 public:
  explicit DeviceState(std::shared_ptr<Queue> queue)
      : queue_(std::move(queue)), info_(queue_->backend().info()), capabilities_(queue_->backend().capabilities()) {}
  /// Open checks hold buffers, and those the queue: it would not end by itself.
  ~DeviceState() { queue_->stop(); }
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  Queue& queue() const { return *queue_; }
  const DeviceInfo& info() const { return info_; }
  const Capabilities& capabilities() const { return capabilities_; }

 private:
  std::shared_ptr<Queue> queue_;
  DeviceInfo info_;
  Capabilities capabilities_;
};

}  // namespace eglantine
