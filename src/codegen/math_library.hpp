#pragma once

#include <string>
#include <string_view>

namespace eglantine::codegen {

/// The snippets of glsl/math that `text` names and those that they need in turn, in the files' order.
std::string math_for(std::string_view text);

}  // namespace eglantine::codegen
