#pragma once

#include <string_view>

#include "eglantine/device.hpp"
#include "graph/kernel/kernel.hpp"
#include "profile/recorder.hpp"

namespace eglantine::profile {

std::string device_name(const DeviceInfo& device);                   ///< in a trace: "gl:0 NVIDIA H200/PCIe/SSE2"
Subject subject_of(const DeviceInfo& device, const Kernel& kernel);  ///< for the profile, without its programs

/// Reports the host's work during its lifetime to the profile, if one is recorded.
class HostSpan {
 public:
  HostSpan(const DeviceInfo& device, std::string_view what, size_t bytes)
      : device_(device), what_(what), bytes_(bytes), start_(is_on() ? host_now() : 0) {}
  ~HostSpan() {
    if (start_ != 0) end();
  }
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;

 private:
  void end() const;
  const DeviceInfo& device_;
  std::string_view what_;
  size_t bytes_;
  int64_t start_;
};

}  // namespace eglantine::profile
