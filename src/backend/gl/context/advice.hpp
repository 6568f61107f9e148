#pragma once

#include <string>

#include "backend/gl/context/candidate.hpp"

/// Messages for a device that cannot be opened: the step that failed, its error, and what to try.
namespace eglantine::gl {

std::string advise_enumeration(EGLint error);  ///< eglQueryDevicesEXT failed, or found no device
std::string advise_no_vendor();                ///< neither an interface to list devices nor a platform that needs none
std::string advise_missing_nvidia();           ///< no NVIDIA devices; empty without NVIDIA's kernel driver
std::string advise_render_node(const std::string& node, int error);  ///< a node that cannot be opened; `error` is errno
/// For `step` failing on the candidate's display.
std::string advise_display(const Candidate& candidate, const std::string& step, EGLint error);
/// No context of a version we need. `offered`: what any version gives, "OpenGL 3.3 ... by softpipe"; empty if nothing.
std::string advise_version(bool gles, const std::string& offered, EGLint error);
std::string advise_softpipe(const std::string& renderer);  ///< Mesa's, whose compute shaders do not work

}  // namespace eglantine::gl
