#include "codegen/custom_text.hpp"

#include <algorithm>

namespace eglantine::codegen {
namespace {

// `precise`: + - * round as on the CPU, and nothing contracts.
constexpr std::string_view before_expression = "  EG_PRECISE float eg_result = (  // the user's own:\n";
constexpr std::string_view after_expression = "\n  );  // no longer the user's\n";

int lines_in(std::string_view text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

}  // namespace

std::string custom_function(const std::string& name, const std::vector<std::string>& parameters,
                            std::string_view expression) {
  std::string list;
  for (const std::string& parameter : parameters) list += (list.empty() ? "float " : ", float ") + parameter;
  return "float " + name + "(" + list + ") {\n" + std::string(before_expression) + std::string(expression) +
         std::string(after_expression) + "  return eg_result;\n}\n";
}

std::vector<CustomLines> custom_lines(std::string_view source) {
  std::vector<CustomLines> found;
  for (size_t at = source.find(before_expression); at != std::string_view::npos;
       at = source.find(before_expression, at)) {
    at += before_expression.size();
    const std::string_view expression = source.substr(at, source.find(after_expression, at) - at);
    found.push_back({std::string(expression), lines_in(source.substr(0, at)), lines_in(expression)});
  }
  return found;
}

}  // namespace eglantine::codegen
