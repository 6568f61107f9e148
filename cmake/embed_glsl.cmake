# Writes OUTPUT, a C++ file that holds the text of every template in GLSL_DIR.
# cmake -DGLSL_DIR=glsl -DOUTPUT=templates.cpp -P embed_glsl.cmake

file(GLOB_RECURSE templates ${GLSL_DIR}/*)
list(FILTER templates EXCLUDE REGEX "\\.md$")
list(SORT templates)

set(rows "")
foreach(template IN LISTS templates)
  get_filename_component(name "${template}" NAME)
  file(READ "${template}" text)
  if(text MATCHES "\\)EG_TEXT\"")
    message(FATAL_ERROR "${template}: a template may not hold )EG_TEXT\"")
  endif()
  string(APPEND rows "    {\"${name}\", R\"EG_TEXT(${text})EG_TEXT\"},\n")
endforeach()

file(
  WRITE "${OUTPUT}"
  "// Generated from glsl/ by cmake/embed_glsl.cmake.
#include \"codegen/templates.hpp\"

#include <utility>

namespace eglantine::codegen {

std::string_view template_text(std::string_view file_name) {
  static constexpr std::pair<std::string_view, std::string_view> templates[] = {
${rows}    {},
  };
  for (const auto& [name, text] : templates) {
    if (name == file_name) return text;
  }
  return {};
}

}  // namespace eglantine::codegen
")
