#pragma once

#include <string>

#include "profile/recorder.hpp"

namespace eglantine::profile {

/// The recording in the Chrome trace format (JSON object form): a process for each device with the tracks "kernels" and
/// "host", a complete event for each run, below it one for each dispatch where there are several. Times are
/// microseconds since recording began. "programs" at the top holds the GLSL by number; the first run of each kind
/// carries it in its own arguments as well, since that is where a viewer shows it.
std::string trace_json(const Recording& recording);

}  // namespace eglantine::profile
