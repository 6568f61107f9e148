#pragma once

#include <string>
#include <string_view>

#include "codegen/bindings.hpp"

namespace eglantine::codegen {

/// The parts of a program that differ from kernel to kernel.
struct SourceParts {
  std::string_view template_name;  ///< a file of glsl/
  std::string defines;             ///< the template's constants, one #define a line
  std::string holes;               ///< the template's functions
  int uniforms = 0;                ///< words of eg_u
};

/// A whole compute shader: the device's header in place of the template's version line, then defines, uniforms,
/// bindings, what the holes need of math.glsl, the holes, and the template. A hole that is missing does not compile.
std::string assemble(std::string_view header, const SourceParts& parts, const Bindings& bindings);

}  // namespace eglantine::codegen
