#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Users' expressions in generated GLSL.
namespace eglantine::codegen {

/// `float name(float <parameter>, ...)` of the user's expression, on its own lines: a comment in it hides nothing.
std::string custom_function(const std::string& name, const std::vector<std::string>& parameters,
                            std::string_view expression);

/// A user's expression in a program. Lines are counted from 1.
struct CustomLines {
  std::string expression;
  int first = 0;  ///< its first line in the program
  int count = 0;
};

std::vector<CustomLines> custom_lines(std::string_view source);  ///< every user's expression, in order

}  // namespace eglantine::codegen
