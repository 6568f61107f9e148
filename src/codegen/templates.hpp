#pragma once

#include <string_view>

namespace eglantine::codegen {

/// The embedded text (cmake/embed_glsl.cmake) of a file of glsl/, as "values.glsl"; empty where there is none.
std::string_view template_text(std::string_view file_name);

}  // namespace eglantine::codegen
