#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"

namespace eglantine::gl {

struct Options;

/// Throws DeviceError for an invalid setting in the environment. open_backend does the same; a caller that falls back
/// to another device calls this first, to tell the two failures apart.
void check_environment();

/// Every GL and GLES device that EGL offers, hardware first, each tried: for one that cannot be opened `problem` says
/// which step failed, with what error, and what to try. Entries without a spec describe problems of EGL itself. Never
/// throws, and does not touch the calling thread's context.
std::vector<DeviceInfo> list_devices();
std::vector<DeviceInfo> list_devices(const Options& options);

/// Opens the first device that matches the spec: "" (the best, GL before GLES), "gl", "gles", "gl:1", "gl:llvmpipe"
/// (part of the name, in any case). Makes its context current on the calling thread; tries no more devices than it
/// must. Throws DeviceError that names each device tried and why it is unsuitable.
std::unique_ptr<Backend> open_backend(std::string_view spec);
std::unique_ptr<Backend> open_backend(std::string_view spec, const Options& options);

}  // namespace eglantine::gl
