#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"
#include "codegen/value_text.hpp"

/// The text of a LoadStage that gives a run of vectors at once. Narrow operands come by loads of 16 bytes; names:
/// w<i>_<f> one of them of operand i, x<i>_<p> its vector p, x<i> an element that serves the whole run.
namespace eglantine::codegen {
namespace {

std::string numbered(int i, int64_t j) { return std::to_string(i) + "_" + std::to_string(j); }

}  // namespace

bool LoadStage::is_wide(int operand) const {
  return spec_.run > 1 && addresses_.access(operand) == VectorAccess::vec4 &&
         is_narrow(expr_.operands[static_cast<size_t>(operand)].storage);
}

std::string LoadStage::load_run(const Bindings& bindings, int operand) const {
  const DType dtype = expr_.operands[static_cast<size_t>(operand)].dtype();
  if (addresses_.access(operand) != VectorAccess::vec4) return load(bindings, operand);
  const int binding = bindings_of_[static_cast<size_t>(operand)];
  const DType stored = bindings.at(binding).dtype();
  const bool wide = is_wide(operand);
  const int64_t bytes = bytes_of(bindings.at(binding).storage), parts = wide ? 4 / bytes : 1;
  const int shift = wide ? (bytes == 2 ? 3 : 4) : 2;
  std::string text;
  for (int64_t p = 0; p < spec_.run; ++p) {
    const int64_t load = p / parts;
    const std::string index =
        addresses_.place(operand, shift) + (load > 0 ? " + " + literal(static_cast<uint64_t>(load)) : "");
    const std::string whole = "w" + numbered(operand, load);
    if (wide && p % parts == 0) text += "  uvec4 " + whole + " = " + bindings.whole(binding, index) + ";\n";
    const std::string value =
        wide ? bindings.part_of_whole(binding, whole, static_cast<int>(p % parts)) : bindings.read(binding, index);
    text += "  " + std::string(value_type(dtype, 4)) + " x" + numbered(operand, p) + " = " +
            from_stored(stored, dtype, 4, value) + ";\n";
  }
  return text;
}

std::string LoadStage::run_text(const Bindings& bindings) const {
  const std::string type(value_type(dtype(), spec_.width));
  std::string text = value_text(bindings) + addresses_.address_function() + "void " + spec_.name + "(uint number";
  for (int64_t p = 0; p < spec_.run; ++p) text += ", out " + type + " v" + std::to_string(p);
  text += ") {\n" + addresses_.statements("number");
  for (int i = 0; i < operands(); ++i) text += load_run(bindings, i);
  for (int64_t p = 0; p < spec_.run; ++p) {
    text += "  v" + std::to_string(p) + " = " + type + "(";
    for (size_t j = 0; j < components_of_vec4.size(); ++j) {
      text += std::string(j > 0 ? ", " : "") + spec_.name + "_value(";
      for (int i = 0; i < operands(); ++i) {
        const bool vectors = addresses_.access(i) == VectorAccess::vec4;
        text += std::string(i > 0 ? ", " : "") + "x" +
                (vectors ? numbered(i, p) + "." + components_of_vec4[j] : std::to_string(i));
      }
      text += ")";
    }
    text += ");\n";
  }
  return text + "}\n";
}

}  // namespace eglantine::codegen
