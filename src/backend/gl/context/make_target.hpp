#pragma once

#include "backend/gl/context/context.hpp"
#include "backend/gl/context/workarounds.hpp"
#include "backend/gl/lowered.hpp"
#include "eglantine/device.hpp"
#include "lower/contraction/tuning.hpp"

namespace eglantine::gl {

/// The limits and features that kernels are planned for, queried once. Throws DeviceError for a bad
/// $EGLANTINE_MAX_BLOCK_BYTES or similar setting, and for fewer than 4 storage buffers in a compute shader. Fills in
/// the rest of `driver`.
Target make_target(const Context& context, Driver& driver);

/// The facts that the workarounds' conditions use, except those that depend on the limits.
Driver make_driver(const Context& context, const Candidate& candidate);

/// The device that a tuning file must match.
lower::TuningKey tuning_key(const Context& context, bool software);

/// The device's UUID in hexadecimal, from GL or else EGL; may be empty.
std::string uuid_of(const Context& context, const Candidate& candidate);

/// Describes the context's device. The caller fills in `spec` and `kind`.
DeviceInfo describe_device(const Context& context, const Candidate& candidate, const Target& target,
                           const Driver& driver);

/// Capabilities::spin_nanoseconds: 0 where there are few cores, or the cores themselves run the kernels.
int64_t spin_nanoseconds(const Target& target);

/// Total and free device memory in bytes, 0 where the driver does not report it.
struct DriverMemory {
  int64_t total = 0;
  int64_t free = 0;
};
DriverMemory driver_memory(const Context& context);

}  // namespace eglantine::gl
