#pragma once

#include <memory>
#include <vector>

#include "backend/device_state.hpp"

namespace eglantine {

/// The devices that this process has opened and not lost; none in a forked child.
std::vector<std::shared_ptr<DeviceState>> open_devices();

}  // namespace eglantine
