#pragma once

#include <string>

#include "backend/gl/execution/programs/program_cache.hpp"
#include "graph/kernel/kernel.hpp"

namespace eglantine::gl {

/// The message for users when the driver rejects the GLSL of the kernel's custom operations: their names, their text
/// and the diagnostics, by the lines of that text. Empty when no diagnostic is about that text.
std::string custom_error(const Kernel& kernel, const CompileError& error);

}  // namespace eglantine::gl
