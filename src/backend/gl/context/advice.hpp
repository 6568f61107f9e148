#pragma once

#include <string>

#include "backend/gl/context/candidate.hpp"

/// What to tell a user whose device cannot be opened: the step that failed, its error, and what to try.
namespace eglantine::gl {

/// eglQueryDevicesEXT failed, or found nothing.
std::string advise_enumeration(EGLint error);

/// EGL has neither an interface to list devices nor a platform that needs none.
std::string advise_no_vendor();

/// No EGL device is NVIDIA's: empty where there is no NVIDIA kernel driver either.
std::string advise_missing_nvidia();

/// A render node that cannot be opened; `error` is errno.
std::string advise_render_node(const std::string& node, int error);

/// `step` failed on the candidate's display.
std::string advise_display(const Candidate& candidate, const std::string& step, EGLint error);

/// No context of a version we need. `offered` is what a context of any version calls itself: "OpenGL 3.3 (Core
/// Profile) Mesa 22.3.6 by softpipe"; empty where there is none.
std::string advise_version(bool gles, const std::string& offered, EGLint error);

/// The renderer is Mesa's softpipe, which only pretends to have compute shaders.
std::string advise_softpipe(const std::string& renderer);

}  // namespace eglantine::gl
