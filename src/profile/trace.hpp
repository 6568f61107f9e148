#pragma once

#include <string>

#include "profile/recorder.hpp"

namespace eglantine::profile {

/// The recording in the Chrome trace format (JSON object form): a process for each device with the tracks "kernels" and
/// "host", a complete event for each run, and below it one for each of several dispatches. Times are microseconds since
/// the recording began. "programs" at the top holds the GLSL by number; the first run of each kind also carries its
/// own, since that is where a viewer shows it.
std::string trace_json(const Recording& recording);

}  // namespace eglantine::profile
