#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "eglantine/dtype.hpp"

namespace eglantine {

/// What kernels compute with for `dtype`: f32 of narrow floats, i32 of narrow integers, else itself.
constexpr DType computed_type(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
      return DType::f32;
    case DType::i8:
    case DType::u8:
      return DType::i32;
    default:
      return dtype;
  }
}

constexpr bool is_narrow(DType dtype) { return computed_type(dtype) != dtype; }      ///< f16, bf16, i8, u8
constexpr bool is_float(DType dtype) { return computed_type(dtype) == DType::f32; }  ///< f32, f16, bf16
constexpr bool is_integer(DType dtype) { return !is_float(dtype) && dtype != DType::boolean; }

/// The 32 bits that kernels compute with for an element; and the element that is stored for such bits: booleans are
/// != 0, narrow floats rounded to nearest, narrow integers taken modulo 2^8.
template <Element T>
constexpr uint32_t computed_bits(T value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return T::widened(value.bits);
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value);
  else
    return static_cast<uint32_t>(value);
}
template <Element T>
constexpr T stored_element(uint32_t bits) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return T::from_bits(T::rounded(bits));
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(bits);
  else if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else
    return static_cast<T>(bits);
}

/// f.operator()<T>() with the C++ type T that computes `dtype`: float, int32_t, uint32_t or bool.
template <class F>
auto with_computed_type(DType dtype, F f) {
  switch (computed_type(dtype)) {
    case DType::i32:
      return f.template operator()<int32_t>();
    case DType::u32:
      return f.template operator()<uint32_t>();
    case DType::boolean:
      return f.template operator()<bool>();
    default:
      return f.template operator()<float>();
  }
}

/// f.operator()<T>() with the C++ type T that stores `dtype`.
template <class F>
auto with_element_type(DType dtype, F f) {
  switch (dtype) {
    case DType::f16:
      return f.template operator()<half>();
    case DType::bf16:
      return f.template operator()<bfloat16>();
    case DType::i8:
      return f.template operator()<int8_t>();
    case DType::u8:
      return f.template operator()<uint8_t>();
    default:
      return with_computed_type(dtype, f);
  }
}

}  // namespace eglantine
