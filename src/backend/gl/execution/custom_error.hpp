#pragma once

#include <string>

#include "backend/gl/execution/program_cache.hpp"
#include "graph/kernel.hpp"

namespace eglantine::gl {

/// What to tell the user when the driver complains of the GLSL of the kernel's own operations: their names, their text
/// and the complaints, by the lines of that text. Empty when it complains of none of it.
std::string custom_error(const Kernel& kernel, const CompileError& error);

}  // namespace eglantine::gl
