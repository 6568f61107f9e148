#pragma once

#include "backend/gl/context/context.hpp"
#include "backend/gl/context/workarounds.hpp"
#include "backend/gl/lowered.hpp"
#include "eglantine/device.hpp"
#include "lower/contraction/schedule/tuning.hpp"

namespace eglantine::gl {

/// Queries the limits and features that kernels are planned for, and the rest of `driver`. Throws DeviceError for a bad
/// setting ($EGLANTINE_MAX_BLOCK_BYTES and such) and for fewer than 4 storage buffers in a compute shader.
Target make_target(const Context& context, Driver& driver);
/// The facts that the workarounds' conditions use, except those that depend on the limits.
Driver make_driver(const Context& context, const Candidate& candidate);
lower::TuningKey tuning_key(const Context& context, bool software);       ///< the device that a tuning file must match
std::string uuid_of(const Context& context, const Candidate& candidate);  ///< hexadecimal, GL's, else EGL's, or empty
/// Describes the context's device. The caller fills in `spec` and `kind`.
DeviceInfo describe_device(const Context& context, const Candidate& candidate, const Target& target,
                           const Driver& driver);
int64_t spin_nanoseconds(const Target& target);  ///< Capabilities'; 0 where cores are few or run the kernels

/// Total and free device memory in bytes, 0 where the driver does not report it.
struct DriverMemory {
  int64_t total = 0;
  int64_t free = 0;
};
DriverMemory driver_memory(const Context& context);

}  // namespace eglantine::gl
