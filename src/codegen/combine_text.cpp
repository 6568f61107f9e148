#include "codegen/combine_text.hpp"

#include <bit>

#include "codegen/glsl_type.hpp"
#include "codegen/own_text.hpp"
#include "eglantine/own.hpp"
#include "graph/op_info.hpp"

namespace eglantine::codegen {
namespace {

std::string bits_text(float value) {
  return "uintBitsToFloat(" + std::to_string(std::bit_cast<uint32_t>(value)) + "u)";
}

/// eg_combine's expression.
std::string combination(Reduction reduction, DType dtype) {
  const bool bits = dtype == DType::u32;
  if (bits && reduction == Reduction::any) return "a | b";
  if (bits && reduction == Reduction::all) return "a & b";
  return std::string(info_of(reduction).glsl);
}

}  // namespace

DType combined_as(DType dtype) { return dtype == DType::boolean ? DType::u32 : dtype; }

std::string identity_text(Reduction reduction, DType dtype, const ReduceOpPtr& own) {
  const bool real = dtype == DType::f32, is_signed = dtype == DType::i32;
  switch (reduction) {
    // -0.0 is the identity of float addition: 0.0 would change the sign of a sum of -0.0 alone.
    case Reduction::sum:
      return real ? "uintBitsToFloat(0x80000000u)" : is_signed ? "0" : "0u";
    case Reduction::prod:
      return real ? "1.0" : is_signed ? "1" : "1u";
    case Reduction::max:
    case Reduction::argmax:
      return real ? "uintBitsToFloat(0xff800000u)" : is_signed ? "int(0x80000000u)" : "0u";
    case Reduction::min:
    case Reduction::argmin:
      return real ? "uintBitsToFloat(0x7f800000u)" : is_signed ? "0x7fffffff" : "0xffffffffu";
    case Reduction::own:
      return bits_text(own->identity);
    case Reduction::any:
      return dtype == DType::u32 ? "0u" : "false";
    case Reduction::all:
      break;
  }
  return dtype == DType::u32 ? "1u" : "true";
}

std::string combine_functions(Reduction reduction, DType dtype, const ReduceOpPtr& own) {
  const std::string type(value_type(dtype, 1)), precise = dtype == DType::f32 ? "EG_PRECISE " : "";
  const std::string identity = type + " eg_identity() { return " + identity_text(reduction, dtype, own) + "; }\n";
  if (own) return identity + own_function("eg_combine", {"a", "b"}, own->glsl);
  return identity + type + " eg_combine(" + type + " a, " + type + " b) {\n  " + precise + type +
         " result = " + combination(reduction, dtype) + ";\n  return result;\n}\n";
}

std::string combine_key(Reduction reduction, const ReduceOpPtr& own) {
  if (!own) return std::string(name_of(reduction));
  return "own" + own_key(own->glsl) + bits_text(own->identity);
}

}  // namespace eglantine::codegen
