#pragma once

#include <memory>

#include "backend/device_state.hpp"
#include "layout/layout.hpp"
#include "support/fake_backend.hpp"

namespace eglantine::test {

/// A queue with a FakeBackend: the base of fixtures that test a device's worker.
class FakeDevice {
 protected:
  /// Submits a kernel that writes sixteen bytes, and reads `input` if given.
  BufferPtr run(const BufferPtr& input = nullptr) {
    const BufferPtr out = queue_->allocate(16);
    const Layout four = layout::contiguous(Shape{4});
    MapKernel kernel{{{4}, {}, {}, {{0}}, {{Op::parameter, DType::u32, {0, -1, -1}}}}, {out, StorageType::u32, four}};
    if (input) kernel.value.operands.push_back({input, StorageType::u32, four});
    queue_->run(std::move(kernel));
    return out;
  }

  std::shared_ptr<FakeScript> script_ = std::make_shared<FakeScript>();
  std::shared_ptr<Queue> queue_ = Queue::start([this] { return std::make_unique<FakeBackend>(script_); });
  std::unique_ptr<DeviceState> state_ = std::make_unique<DeviceState>(queue_);
};

}  // namespace eglantine::test
