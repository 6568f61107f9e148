#include "codegen/glsl_type.hpp"
#include "codegen/stage.hpp"

/// The text of a LoadStage of several results, which share what they load.
namespace eglantine::codegen {

std::string LoadStage::results_text(const Bindings& bindings) const {
  const std::string type(value_type(dtype(), spec_.width));
  std::string text = value_text(bindings) + addresses_.address_function() + "void " + spec_.name + "(uint number";
  for (size_t r = 0; r < results_.size(); ++r) text += ", out " + type + " v" + std::to_string(r);
  text += ") {\n" + addresses_.statements("number") + load_windows(bindings) + load_views(bindings);
  for (int i = 0; i < operands(); ++i) text += load(bindings, i);
  text += compute_fours();
  for (int j = 0; j < spec_.width; ++j) {
    text += "  " + spec_.name + "_value(" + arguments(j);
    for (size_t r = 0; r < results_.size(); ++r) {
      text += ", v" + std::to_string(r);
      if (spec_.width > 1) text += std::string(".") + components_of_vec4[static_cast<size_t>(j)];
    }
    text += ");\n";
  }
  return text + "}\n";
}

}  // namespace eglantine::codegen
