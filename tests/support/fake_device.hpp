#pragma once

#include <memory>

#include "backend/device_state.hpp"
#include "layout/layout.hpp"
#include "support/fake_backend.hpp"

namespace eglantine::test {

/// A queue in front of a backend that fails as it is told: what tests of a device's worker derive their fixture from.
class FakeDevice {
 protected:
  /// Submits a kernel that writes sixteen bytes, and reads `input` where there is one.
  BufferPtr run(const BufferPtr& input = nullptr) {
    const BufferPtr out = queue_->allocate(16);
    const Layout four = layout::contiguous(Shape{4});
    MapKernel kernel{{{4}, {}, {}, {0}, {{Op::parameter, DType::u32, {0, -1, -1}}}}, {out, StorageType::u32, four}};
    if (input) kernel.value.operands.push_back({input, StorageType::u32, four});
    queue_->run(std::move(kernel));
    return out;
  }

  std::shared_ptr<Orders> orders_ = std::make_shared<Orders>();
  std::shared_ptr<Queue> queue_ = Queue::start([this] { return std::make_unique<FakeBackend>(orders_); });
  std::unique_ptr<DeviceState> state_ = std::make_unique<DeviceState>(queue_);
};

}  // namespace eglantine::test
