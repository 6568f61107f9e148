#pragma once

#include <memory>

#include "backend/backend.hpp"

namespace eglantine::cpu {

/// The CPU as a device: evaluates kernels' expressions a block of elements at a time, on all cores. Validates the GPU.
std::unique_ptr<Backend> make_backend();
DeviceInfo describe_cpu();

}  // namespace eglantine::cpu
