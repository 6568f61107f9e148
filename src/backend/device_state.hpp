#pragma once

#include <memory>

#include "backend/buffer.hpp"
#include "backend/kept_uploads.hpp"
#include "backend/queue.hpp"
#include "eglantine/device.hpp"
#include "graph/graph_lock.hpp"
#include "graph/replay/plan_cache.hpp"

namespace eglantine {

/// What Device handles share: the queue, and a copy of the device's description that outlives the backend.
class DeviceState {
 public:
  explicit DeviceState(std::shared_ptr<Queue> queue)
      : queue_(std::move(queue)),
        info_(queue_->backend().info()),
        capabilities_(queue_->backend().capabilities()),
        plans_(capabilities_, [](int64_t bytes) { return std::make_shared<Buffer>(nullptr, bytes); }) {}
  ~DeviceState() {
    uploads_.clear();
    queue_->stop();  // explicitly: open checks hold buffers, and buffers hold the queue
  }
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  Queue& queue() const { return *queue_; }
  const DeviceInfo& info() const { return info_; }
  const Capabilities& capabilities() const { return capabilities_; }
  PlanCache& plans(const GraphLock&) { return plans_; }
  KeptUploads& uploads(const GraphLock&) { return uploads_; }

 private:
  std::shared_ptr<Queue> queue_;
  DeviceInfo info_;
  Capabilities capabilities_;
  PlanCache plans_;
  KeptUploads uploads_;
};

}  // namespace eglantine
