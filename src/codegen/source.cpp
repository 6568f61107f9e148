#include "codegen/source.hpp"

#include "codegen/math_chunks.hpp"
#include "codegen/templates.hpp"
#include "codegen/uniforms.hpp"

namespace eglantine::codegen {

std::string assemble(std::string_view header, const SourceParts& parts, const Bindings& bindings) {
  const std::string_view body = template_text(parts.template_name);
  std::string text(header);
  text += parts.defines;
  text += "layout(location = 0) uniform uint eg_u[" + std::to_string(parts.uniforms) + "];\n";
  text += bindings.declarations();
  text += divide_function();
  text += math_for(parts.holes);
  text += parts.holes;
  text += body.substr(body.find('\n') + 1);
  return text;
}

}  // namespace eglantine::codegen
