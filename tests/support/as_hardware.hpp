#pragma once

#include "lower/runtime.hpp"

namespace eglantine::test {

/// A device that is planned for as if it were another one.
class AsTarget : public gl::Runtime {
 public:
  AsTarget(gl::Runtime& device, const gl::Target& target) : device_(device), target_(target) {}
  const gl::Target& target() const override { return target_; }
  void dispatch(const gl::Dispatch& dispatch) override {
    ++dispatches;
    device_.dispatch(dispatch);
  }
  void copy(const Buffer& from, const Buffer& to, std::span<const gl::Stretch> stretches) override {
    device_.copy(from, to, stretches);
  }
  void read(const Buffer& from, int64_t offset, std::span<std::byte> data) override {
    device_.read(from, offset, data);
  }
  std::unique_ptr<Storage> allocate(int64_t bytes) override { return device_.allocate(bytes); }
  gl::Flag open_alarm(const std::string& function) override { return device_.open_alarm(function); }
  BufferPtr open_exchange() override { return device_.open_exchange(); }
  gl::Target& plan_for() { return target_; }

  int dispatches = 0;

 private:
  gl::Runtime& device_;
  gl::Target target_;
};

/// A device that is planned for as if it were a GPU that holds so many invocations.
class AsHardware : public AsTarget {
 public:
  explicit AsHardware(gl::Runtime& device, int64_t resident_invocations = 4096) : AsTarget(device, device.target()) {
    plan_for().software = false;
    plan_for().texel_reads = false;
    plan_for().resident_invocations = resident_invocations;
  }
};

}  // namespace eglantine::test
