#include "codegen/source.hpp"

#include "codegen/math_library.hpp"
#include "codegen/templates.hpp"

namespace eglantine::codegen {
namespace {

/// The template without its version line and its default holes.
std::string body_of(std::string_view text) {
  constexpr std::string_view opening = "#ifdef EG_STANDALONE\n", closing = "#endif\n";
  const size_t start = text.find('\n') + 1, defaults = text.find(opening);
  if (defaults == std::string_view::npos) return std::string(text.substr(start));
  const size_t end = text.find(closing, defaults) + closing.size();
  return std::string(text.substr(start, defaults - start)) + std::string(text.substr(end));
}

}  // namespace

std::string define(std::string_view name, std::string_view value) {
  std::string text = "#define ";
  text.append(name).append(value.empty() ? "" : " ").append(value);
  return text += '\n';
}
std::string define(std::string_view name, int64_t value) { return define(name, std::to_string(value)); }
std::string define(std::string_view name) { return define(name, std::string_view()); }

std::string declarations(const Bindings& bindings, const Uniforms& uniforms) {
  return "layout(location = 0) uniform uint eg_u[" + std::to_string(uniforms.size()) + "];\n" + bindings.declarations();
}

std::string shader_text(std::string_view header, const SourceParts& parts) {
  std::string text(header);
  text += parts.defines;
  text += parts.declarations;
  text += divide_function();
  text += math_for(parts.defines + parts.holes);
  text += parts.holes;
  return text + body_of(template_text(parts.template_name));
}

}  // namespace eglantine::codegen
