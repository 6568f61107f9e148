#pragma once

#include "backend/gl/runtime.hpp"

namespace eglantine::test {

/// A device that is planned for as if it were a GPU that holds so many invocations.
class AsHardware : public gl::Runtime {
 public:
  explicit AsHardware(gl::Runtime& device, int64_t resident_invocations = 4096)
      : device_(device), target_(device.target()) {
    target_.software = false;
    target_.resident_invocations = resident_invocations;
  }
  const gl::Target& target() const override { return target_; }
  void dispatch(const gl::Dispatch& dispatch) override {
    ++dispatches;
    device_.dispatch(dispatch);
  }
  std::unique_ptr<Storage> allocate(int64_t bytes) override { return device_.allocate(bytes); }

  int dispatches = 0;

 private:
  gl::Runtime& device_;
  gl::Target target_;
};

}  // namespace eglantine::test
