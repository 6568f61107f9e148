#pragma once

#include <string>

#include "backend/gl/context/candidate.hpp"

/// Messages for a device that cannot be opened: the step that failed, its error, and what to try.
namespace eglantine::gl {

/// For eglQueryDevicesEXT that failed, or found no device.
std::string advise_enumeration(EGLint error);

/// For an EGL with neither an interface to list devices nor a platform that needs none.
std::string advise_no_vendor();

/// For an EGL without NVIDIA devices; empty where there is no NVIDIA kernel driver either.
std::string advise_missing_nvidia();

/// For a render node that cannot be opened; `error` is errno.
std::string advise_render_node(const std::string& node, int error);

/// For `step` failing on the candidate's display.
std::string advise_display(const Candidate& candidate, const std::string& step, EGLint error);

/// For a missing context of a version we need. `offered`: version and renderer of a context of any version, "OpenGL 3.3
/// (Core Profile) Mesa 22.3.6 by softpipe"; empty where there is none.
std::string advise_version(bool gles, const std::string& offered, EGLint error);

/// For Mesa's softpipe, whose compute shaders do not work.
std::string advise_softpipe(const std::string& renderer);

}  // namespace eglantine::gl
