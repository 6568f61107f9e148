#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Users' expressions in generated GLSL.
namespace eglantine::codegen {

/// `float name(float <parameter>, ...)` with the user's expression as its value. The expression has its own lines: a
/// comment at its end hides no generated text, and custom_lines() finds it again.
std::string custom_function(const std::string& name, const std::vector<std::string>& parameters,
                            std::string_view expression);

/// A user's expression in a program. Lines are counted from 1.
struct CustomLines {
  std::string expression;
  int first = 0;  ///< its first line in the program
  int count = 0;
};

/// Every user's expression in a program, in order.
std::vector<CustomLines> custom_lines(std::string_view source);

}  // namespace eglantine::codegen
