#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codegen/bindings.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {

/// What differs from kernel to kernel in a program's text.
struct SourceParts {
  std::string template_name;  ///< a file of glsl/
  std::string defines;        ///< the template's constants, one #define a line
  std::string holes;          ///< the template's functions
  bool subgroups = false;     ///< it uses GL_KHR_shader_subgroup
  std::string declarations = {};
};

std::string define(std::string_view name, std::string_view value);  ///< "#define NAME value\n"
std::string define(std::string_view name, int64_t value);
std::string define(std::string_view name);

std::string declarations(const Bindings& bindings, const Uniforms& uniforms);

/// A whole compute shader: the device's header in place of the template's version line, defines, declarations, the
/// snippets of glsl/math that the holes need, the holes, and the template. A missing hole is a compile error.
std::string shader_text(std::string_view header, const SourceParts& parts);

}  // namespace eglantine::codegen
