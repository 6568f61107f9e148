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

/// Every GL and GLES device of EGL, hardware first, each tried: `problem` has the step that failed, error and advice.
/// Entries without a spec describe problems of EGL itself. Never throws; leaves the calling thread's context alone.
std::vector<DeviceInfo> list_devices();
std::vector<DeviceInfo> list_devices(const Options& options);

/// The first device that matches "" (the best, GL before GLES), "gl", "gles", "gl:1", "gl:llvmpipe" (part of a name,
/// any case), its context current on this thread; tries no more than it must. DeviceError names each tried and why not.
std::unique_ptr<Backend> open_backend(std::string_view spec);
std::unique_ptr<Backend> open_backend(std::string_view spec, const Options& options);

}  // namespace eglantine::gl
