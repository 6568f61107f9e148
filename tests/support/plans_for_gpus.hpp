#pragma once

#include "backend/gl/context/environment.hpp"
#include "eglantine/device.hpp"

namespace eglantine::test {

/// Whether the device's kernels are planned as for a GPU: it is one, or $EGLANTINE_FORMS says so.
inline bool plans_for_gpus(const Device& device) {
  return device.info().kind != "cpu" && (!device.info().software || gl::hardware_forms_setting());
}

}  // namespace eglantine::test
