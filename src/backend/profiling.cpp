#include "backend/profiling.hpp"

#include "graph/kernel/cost.hpp"

namespace eglantine::profile {

std::string device_name(const DeviceInfo& device) {
  return device.name.starts_with(device.spec) ? device.name : device.spec + " " + device.name;
}

Subject subject_of(const DeviceInfo& device, const Kernel& kernel) {
  const KernelCost cost = cost_of(kernel);
  return {.device = device_name(device), .name = describe(kernel), .bytes = cost.bytes, .operations = cost.operations};
}

void HostSpan::end() const {
  report({.device = device_name(device_),
          .track = Track::host,
          .name = std::string(what_),
          .bytes = static_cast<double>(bytes_)},
         start_, {{start_, host_now()}});
}

}  // namespace eglantine::profile
