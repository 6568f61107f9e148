#pragma once

#include "backend/gl/context/context.hpp"
#include "backend/gl/context/workarounds.hpp"
#include "backend/gl/lowered.hpp"
#include "eglantine/device.hpp"
#include "lower/contraction/tuning.hpp"

namespace eglantine::gl {

/// What the kernels are planned and written for, asked of the driver once. Throws DeviceError for a bad
/// $EGLANTINE_MAX_BLOCK_BYTES and its like, and for a driver with fewer than 4 storage buffers in a compute shader.
/// Completes what is known of the driver.
Target make_target(const Context& context, Driver& driver);

/// What the table of workarounds may ask, as far as it is known before the limits are.
Driver make_driver(const Context& context, const Candidate& candidate);

/// What a tuning file must have been made for.
lower::TuningKey tuning_key(const Context& context, bool software);

/// The device's UUID in hexadecimal, as GL or else EGL gives it; may be empty.
std::string uuid_of(const Context& context, const Candidate& candidate);

/// Describes the device that the context belongs to. `spec` and `kind` are the caller's to fill.
DeviceInfo describe_device(const Context& context, const Candidate& candidate, const Target& target,
                           const Driver& driver);

/// Capabilities::spin_nanoseconds: nothing where cores are few, or compute what is waited for.
int64_t spin_nanoseconds(const Target& target);

/// Total and free device memory in bytes, 0 where the driver does not say.
struct DriverMemory {
  int64_t total = 0;
  int64_t free = 0;
};
DriverMemory driver_memory(const Context& context);

}  // namespace eglantine::gl
