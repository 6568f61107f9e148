#include "codegen/glsl_type.hpp"
#include "codegen/stage/stage.hpp"

/// What a LoadStage loads before a value is wanted (AddressSpec::ahead), so that it is in flight while a group waits
/// for something else.
namespace eglantine::codegen {

/// Operands that others share nothing with: a vector is one variable.
bool LoadStage::is_ahead(int operand) const {
  const auto number = static_cast<size_t>(operand);
  return spec_.ahead && !expr_.stores(number) && expr_.piecewise_of(number) == nullptr && !is_staged(operand) &&
         !shares_view(operand);
}

int64_t LoadStage::loads_ahead() const {
  int64_t count = 0;
  for (int i = 0; i < operands(); ++i) count += is_ahead(i) ? 1 : 0;
  return count;
}

/// GLSL: of x<operand>, as load() defines it.
std::string LoadStage::type_of_vector(int operand) const {
  const VectorAccess access = addresses_.access(operand);
  const bool one = access == VectorAccess::splat || access == VectorAccess::single;
  return std::string(value_type(expr_.operands[static_cast<size_t>(operand)].dtype(), one ? 1 : spec_.width));
}

std::string LoadStage::ahead_text(const Bindings& bindings) const {
  if (loads_ahead() == 0) return "";
  std::string fields, loads, values;
  for (int i = 0; i < operands(); ++i) {
    if (!is_ahead(i)) continue;
    const std::string x = "x" + std::to_string(i);
    fields += "  " + type_of_vector(i) + " " + x + ";\n";
    loads += load_of_memory(bindings, i);
    values += (values.empty() ? "" : ", ") + x;
  }
  return "struct EgAhead {\n" + fields + "};\nEgAhead " + spec_.name + "_ahead(uint number) {\n" +
         addresses_.statements("number") + loads + "  return EgAhead(" + values + ");\n}\n";
}

}  // namespace eglantine::codegen
