#pragma once

#include <bit>
#include <cstdint>

#include "eglantine/export.hpp"

namespace eglantine {

/// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits; largest number 65504, smallest above zero 2^-24.
/// From a float by rounding to nearest, ties to even; beyond the largest an infinity; NaN stays NaN. To a float exact.
struct half {
  uint16_t bits = 0;

  constexpr half() = default;
  constexpr explicit half(float value) : bits(rounded(std::bit_cast<uint32_t>(value))) {}
  static constexpr half from_bits(uint16_t bits) {
    half value;
    value.bits = bits;
    return value;
  }
  constexpr operator float() const { return std::bit_cast<float>(widened(bits)); }

  /// The bits of the nearest half to the float with these bits. Free of branches, so that loops over it vectorize.
  static constexpr uint16_t rounded(uint32_t x) {
    const uint32_t size = x & 0x7fffffffU, sign = x >> 16 & 0x8000U;
    const uint32_t normal = (size + 0xfffU + (size >> 13 & 1U) - (112U << 23)) >> 13;
    // Below 2^-14 halves are multiples of 2^-24, the distance of floats from 0.5 to 1.
    const float shifted = std::bit_cast<float>(size) + 0.5F;
    const uint32_t denormal = std::bit_cast<uint32_t>(shifted) - 0x3f000000U;
    const uint32_t finite = size < 113U << 23 ? denormal : normal;
    const uint32_t special = size > 0x7f800000U ? 0x7e00U : 0x7c00U;
    return static_cast<uint16_t>(sign | (size < 0x477ff000U ? finite : special));
  }
  /// The bits of the float that equals the half with these bits.
  static constexpr uint32_t widened(uint16_t x) {
    const uint32_t size = x & 0x7fffU, sign = static_cast<uint32_t>(x & 0x8000U) << 16;
    const uint32_t normal = (size << 13) + ((size < 0x7c00U ? 112U : 224U) << 23);
    const uint32_t denormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(size)) * 0x1p-24F);
    return sign | (size < 0x400U ? denormal : normal);
  }
};

/// bfloat16: the upper half of a float, with 8 exponent and 7 fraction bits. From a float by rounding to nearest, ties
/// to even; beyond the largest number an infinity; NaN stays NaN. To a float exact.
struct bfloat16 {
  uint16_t bits = 0;

  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float value) : bits(rounded(std::bit_cast<uint32_t>(value))) {}
  static constexpr bfloat16 from_bits(uint16_t bits) {
    bfloat16 value;
    value.bits = bits;
    return value;
  }
  constexpr operator float() const { return std::bit_cast<float>(widened(bits)); }

  /// The bits of the nearest bfloat16 to the float with these bits.
  static constexpr uint16_t rounded(uint32_t x) {
    const uint32_t nearest = x + 0x7fffU + (x >> 16 & 1U), quiet = x | 0x400000U;
    return static_cast<uint16_t>(((x & 0x7fffffffU) > 0x7f800000U ? quiet : nearest) >> 16);
  }
  /// The bits of the float that equals the bfloat16 with these bits.
  static constexpr uint32_t widened(uint16_t x) { return static_cast<uint32_t>(x) << 16; }
};

}  // namespace eglantine
