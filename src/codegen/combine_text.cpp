#include "codegen/combine_text.hpp"

#include <bit>

#include "codegen/custom_text.hpp"
#include "codegen/glsl_type.hpp"
#include "eglantine/own.hpp"
#include "graph/op/op_info.hpp"

namespace eglantine::codegen {

DType combined_as(DType dtype) { return dtype == DType::boolean ? DType::u32 : dtype; }

std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  const uint32_t bits = custom ? std::bit_cast<uint32_t>(custom->identity) : info_of(reduction).identity(dtype);
  return from_bits(dtype, literal(bits));
}

std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  const std::string type(value_type(dtype, 1)), precise = dtype == DType::f32 ? "EG_PRECISE " : "";
  const std::string identity = type + " eg_identity() { return " + identity_text(reduction, dtype, custom) + "; }\n";
  if (custom) return identity + custom_function("eg_combine", {"a", "b"}, custom->glsl);
  return identity + type + " eg_combine(" + type + " a, " + type + " b) {\n  " + precise + type +
         " result = " + std::string(info_of(reduction).glsl) + ";\n  return result;\n}\n";
}

}  // namespace eglantine::codegen
