#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"

/// The text of a LoadStage of several results, which share what they load.
namespace eglantine::codegen {

bool LoadStage::is_kept(int operand) const {
  return spec_.keeps && !addresses_.changes_in(operand, 1) && !is_staged(operand) && !shares_view(operand) &&
         expr_.piecewise_of(static_cast<size_t>(operand)) == nullptr;
}

/// Globals, since drivers do not take loads out of loops.
std::string LoadStage::kept_text(const Bindings& bindings) const {
  if (!spec_.keeps) return "";
  std::string globals, text = "void " + spec_.name + "_keep() {\n";
  for (int i = 0; i < operands(); ++i) {
    if (!is_kept(i)) continue;
    const int binding = bindings_of_[static_cast<size_t>(i)];
    const DType dtype = expr_.operands[static_cast<size_t>(i)].dtype();
    const std::string number = std::to_string(i), name = spec_.name + "_x" + number;
    globals += std::string(value_type(dtype, 1)) + " " + name + ";\n";
    text += "  " + name + " = " +
            from_stored(bindings.at(binding).dtype(), dtype, 1, bindings.read(binding, spec_.name + "_k" + number)) +
            ";\n";
  }
  return globals + text + "}\n";
}

std::string LoadStage::results_text(const Bindings& bindings) const {
  const std::string type(value_type(dtype(), spec_.width));
  std::string text = value_text(bindings) + addresses_.address_function() + kept_text(bindings) + "void " + spec_.name +
                     "(uint number";
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
