#pragma once

#include <string_view>

namespace eglantine::codegen {

/// The text of a file of glsl/ ("map.comp", "math.glsl"), embedded when the library is built by cmake/embed_glsl.cmake.
/// Empty when there is no such file.
std::string_view template_text(std::string_view file_name);

}  // namespace eglantine::codegen
