#pragma once

#include <string>

#include "profile/recorder.hpp"

namespace eglantine::profile {

/// The recording in the Chrome trace format (JSON object form): a process per device with tracks "kernels" and "host",
/// a complete event per run, below it one for each of several dispatches; microseconds since the recording began.
/// "programs" holds the GLSL by number; the first run of each kind carries its own, for viewers.
std::string trace_json(const Recording& recording);

}  // namespace eglantine::profile
