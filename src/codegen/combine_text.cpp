#include "codegen/combine_text.hpp"

#include <bit>

#include "codegen/custom_text.hpp"
#include "codegen/glsl_type.hpp"
#include "eglantine/own.hpp"
#include "graph/op_info.hpp"

namespace eglantine::codegen {
namespace {

std::string bits_text(uint32_t bits) { return "uintBitsToFloat(" + std::to_string(bits) + "u)"; }

/// eg_combine's expression. Booleans are bool in scans, and 0 and 1 in u32 in reductions and tilings.
std::string combination(Reduction reduction, DType dtype) {
  const bool bits = dtype == DType::u32;
  if (bits && reduction == Reduction::any) return "a | b";
  if (bits && reduction == Reduction::all) return "a & b";
  return std::string(info_of(reduction).glsl);
}

}  // namespace

DType combined_as(DType dtype) { return dtype == DType::boolean ? DType::u32 : dtype; }

std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  const uint32_t bits = custom ? std::bit_cast<uint32_t>(custom->identity) : info_of(reduction).identity(dtype);
  switch (dtype) {
    case DType::f32:
      return bits_text(bits);
    case DType::i32:
      return "int(" + std::to_string(bits) + "u)";
    case DType::u32:
      return std::to_string(bits) + "u";
    case DType::boolean:
      break;
  }
  return bits != 0 ? "true" : "false";
}

std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& custom) {
  const std::string type(value_type(dtype, 1)), precise = dtype == DType::f32 ? "EG_PRECISE " : "";
  const std::string identity = type + " eg_identity() { return " + identity_text(reduction, dtype, custom) + "; }\n";
  if (custom) return identity + custom_function("eg_combine", {"a", "b"}, custom->glsl);
  return identity + type + " eg_combine(" + type + " a, " + type + " b) {\n  " + precise + type +
         " result = " + combination(reduction, dtype) + ";\n  return result;\n}\n";
}

}  // namespace eglantine::codegen
