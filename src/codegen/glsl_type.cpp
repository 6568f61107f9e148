#include "codegen/glsl_type.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "element_types.hpp"

namespace eglantine::codegen {
namespace {

size_t number_of(DType dtype) { return static_cast<size_t>(computed_type(dtype)); }

std::string call(std::string_view function, const std::string& text) {
  return std::string(function) + "(" + text + ")";
}

}  // namespace

std::string_view value_type(DType dtype, int width) {
  static constexpr std::array<std::string_view, 4> scalar{"float", "int", "uint", "bool"};
  static constexpr std::array<std::string_view, 4> pair{"vec2", "ivec2", "uvec2", "bvec2"};
  static constexpr std::array<std::string_view, 4> vector{"vec4", "ivec4", "uvec4", "bvec4"};
  return (width == 1 ? scalar : width == 2 ? pair : vector)[number_of(dtype)];
}

std::string_view stored_type(DType dtype, int width) {
  return value_type(dtype == DType::boolean ? DType::u32 : dtype, width);
}

std::string_view sampler_type(DType dtype) {
  static constexpr std::array<std::string_view, 4> sampler{"samplerBuffer", "isamplerBuffer", "usamplerBuffer",
                                                           "usamplerBuffer"};
  return sampler[number_of(dtype)];
}

std::string from_stored(DType stored, DType dtype, int width, const std::string& text) {
  if (stored == dtype && dtype != DType::boolean) return text;
  // Constructors and bit casts work alike on scalars and vectors.
  const std::string bits = stored == DType::f32   ? call("floatBitsToUint", text)
                           : stored == DType::i32 ? call(value_type(DType::u32, width), text)
                                                  : text;
  if (dtype == DType::f32) return call("uintBitsToFloat", bits);
  if (dtype == DType::i32) return call(value_type(DType::i32, width), bits);
  if (dtype == DType::boolean) return width == 1 ? "(" + bits + " != 0u)" : "notEqual(" + bits + ", uvec4(0u))";
  return bits;
}

std::string to_stored(DType dtype, DType stored, int width, const std::string& text) {
  if (stored == dtype && dtype != DType::boolean) return text;
  const std::string bits =
      dtype == DType::f32 ? call("floatBitsToUint", text) : call(value_type(DType::u32, width), text);
  if (stored == DType::f32) return call("uintBitsToFloat", bits);
  if (stored == DType::i32) return call(value_type(DType::i32, width), bits);
  return bits;
}

std::string from_bits(DType dtype, const std::string& text) { return from_stored(DType::u32, dtype, 1, text); }

std::string to_bits(DType dtype, const std::string& text) { return to_stored(dtype, DType::u32, 1, text); }

std::string moved_bits(const std::string& x, int64_t from, int64_t to, int64_t bits) {
  constexpr int64_t word = 32;
  const int64_t shift = std::abs(to - from);
  const std::string moved = shift == 0 ? x : "(" + x + (to > from ? " << " : " >> ") + std::to_string(shift) + ")";
  const bool is_alone = shift == word - bits;  // the others are shifted out
  return is_alone ? moved : "(" + moved + " & " + literal(((uint64_t{1} << bits) - 1) << to) + ")";
}

std::string literal(uint64_t value) { return std::to_string(value) + "u"; }

std::string numbered(const char* prefix, size_t group, int64_t place) {
  const std::string sign = place < 0 ? "m" : "";
  return prefix + std::to_string(group) + "_" + sign + std::to_string(std::abs(place));
}

}  // namespace eglantine::codegen
