#include "codegen/source.hpp"

#include "codegen/math_chunks.hpp"
#include "codegen/templates.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {
namespace {

/// The template without its version line and without the default holes that make it valid by itself.
std::string body_of(std::string_view text) {
  constexpr std::string_view opening = "#ifdef EG_STANDALONE\n", closing = "#endif\n";
  const size_t start = text.find('\n') + 1, defaults = text.find(opening);
  if (defaults == std::string_view::npos) return std::string(text.substr(start));
  const size_t end = text.find(closing, defaults) + closing.size();
  return std::string(text.substr(start, defaults - start)) + std::string(text.substr(end));
}

}  // namespace

std::string assemble(std::string_view header, const SourceParts& parts, const Bindings& bindings) {
  std::string text(header);
  text += parts.defines;
  text += "layout(location = 0) uniform uint eg_u[" + std::to_string(parts.uniforms) + "];\n";
  text += bindings.declarations();
  text += divide_function();
  text += math_for(parts.holes);
  text += parts.holes;
  return text + body_of(template_text(parts.template_name));
}

}  // namespace eglantine::codegen
