#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace eglantine::gl {

struct Options;

/// Throws DeviceError when a setting in the environment cannot be understood: open_backend does the same, but whoever
/// goes on with another device after a failure must know the difference.
void check_environment();

/// Every GL and GLES device EGL offers, hardware first, each tried: one that cannot be opened says in `problem` which
/// step failed, with what error, and what to try. Entries without a spec tell what is wrong with EGL itself. Never
/// throws, and does not touch the calling thread's context.
std::vector<DeviceInfo> list_devices();
std::vector<DeviceInfo> list_devices(const Options& options);

/// Opens the first device that suits the spec: "" (the best, GL before GLES), "gl", "gles", "gl:1", "gl:llvmpipe" (part
/// of the name, in any case). On the calling thread, whose context it takes; tries no more devices than it must. Throws
/// DeviceError that names each device tried and why it does not do.
std::unique_ptr<Backend> open_backend(std::string_view spec);
std::unique_ptr<Backend> open_backend(std::string_view spec, const Options& options);

}  // namespace eglantine::gl
