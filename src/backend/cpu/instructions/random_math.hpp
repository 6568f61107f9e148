#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "backend/cpu/instructions/real_math.hpp"
#include "philox.hpp"

/// Random numbers, and the fixed-point ones that they are made of: the C++ side of those rows of ops.def.
namespace eglantine::cpu_math {

using std::int32_t;
using std::uint32_t;

/// Word `index` of a verb's stream: of the block of counter (index / 4, 0, verb, 0).
inline uint32_t philox(uint32_t verb, uint32_t index, uint32_t key_low, uint32_t key_high) {
  return philox_block({index >> 2, 0u, verb, 0u}, key_low, key_high)[index & 3u];
}

inline uint32_t order_key(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t key = bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
  return (bits & 0x7fffffffU) > 0x7f800000U ? 0xffffffffU : key;
}
inline float from_order_key(uint32_t x) {
  return std::bit_cast<float>(x ^ ((x >> 31) != 0 ? 0x80000000U : 0xffffffffU));
}

inline float uniform_from_bits(uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

/// Box-Muller in double, rounded once: sqrt(-2 log a) times cos(2 pi b) and sin(2 pi b), a = ((x >> 8) + 1) / 2^24, b =
/// (y >> 8) / 2^24.
struct NormalPair {
  float even, odd;
};
inline NormalPair normal_pair(uint32_t x, uint32_t y) {
  const double a = static_cast<double>(static_cast<int32_t>((x >> 8) + 1u)) * 0x1p-24;
  const double radius = std::sqrt(-2.0 * log_of(parts_of(a)));
  const Angle angle = angle_of_quarters(static_cast<double>(static_cast<int32_t>(y >> 8)) * 0x1p-22);
  return {static_cast<float>(radius * cos_of(angle)), static_cast<float>(radius * sin_of(angle))};
}

/// Number `index` of the stream of normal.
inline float philox_normal(uint32_t index, uint32_t key_low, uint32_t key_high) {
  const std::array<uint32_t, 4> words = philox_block({index >> 2, 0u, 1u, 0u}, key_low, key_high);
  const NormalPair pair = normal_pair(words[index & 2u], words[(index & 2u) + 1u]);
  return (index & 1u) == 0 ? pair.even : pair.odd;
}

// ---- 64-bit numbers

inline uint32_t multiply_high(uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<uint32_t>((uint64_t{x} * y + z) >> 32);
}

/// x 2^exponent: scaling by a power of two rounds only what is denormal.
inline float scaled(float x, uint32_t exponent) {
  const int64_t e = std::clamp<int64_t>(static_cast<int32_t>(exponent), -400, 400);
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(e + 1023) << 52);
  return static_cast<float>(static_cast<double>(x) * scale);
}

/// v 2^e: v is rounded to float once.
inline float float_of_fixed(uint32_t high, uint32_t low, uint32_t exponent) {
  return scaled(static_cast<float>(static_cast<int64_t>(uint64_t{high} << 32 | low)), exponent);
}

/// Its size is cut to 24 bits, of which the last is set where anything was cut off.
inline float odd_of_fixed(uint32_t high, uint32_t low, uint32_t exponent) {
  const uint64_t v = uint64_t{high} << 32 | low, size = high >> 31 != 0 ? 0 - v : v;
  const int cut = std::max(static_cast<int>(std::bit_width(size)) - 24, 0);
  const uint64_t kept = size >> cut << cut, odd = kept | (kept != size ? uint64_t{1} << cut : 0);
  return scaled(high >> 31 != 0 ? -static_cast<float>(odd) : static_cast<float>(odd), exponent);
}

/// The integers of eg_exp2_of_fixed, and so its bits.
inline float exp2_of_fixed(uint32_t whole, uint32_t fraction) {
  constexpr std::array<uint32_t, 10> terms = {0x1eu,     0x1b5u,     0x162cu,    0xffe6u,     0xa1849u,
                                              0x576200u, 0x276556eu, 0xe35846cu, 0x3d7f7bffu, 0xb17217f8u};
  uint32_t p = 2u;
  for (uint32_t term : terms) p = multiply_high(p, fraction, 0u) + term;
  const int32_t exponent = std::clamp(static_cast<int32_t>(whole), -400, 400) - 32;
  return float_of_fixed(1u, multiply_high(p, fraction, 0u), static_cast<uint32_t>(exponent));
}

/// Wichura's PPND7 (eg_normal_quantile) in double, rounded once.
inline float normal_quantile(float x) {
  const double p = x < 0.5f ? x : 1.0 - x, q = x - 0.5;
  const double logarithm = p > 0.0 ? log_of(parts_of(p)) : std::numeric_limits<double>::quiet_NaN();
  const double c = 0.180625 - q * q, root = std::sqrt(-logarithm), near = root - 1.6, far = root - 5.0;
  const double central = q * (((59.109374720 * c + 159.29113202) * c + 50.434271938) * c + 3.3871327179) /
                         (((67.187563600 * c + 78.757757664) * c + 17.895169469) * c + 1.0);
  const double tail = root <= 5.0
                          ? (((0.17023821103 * near + 1.3067284816) * near + 2.7568153900) * near + 1.4234372777) /
                                ((0.12021132975 * near + 0.73700164250) * near + 1.0)
                          : (((0.017337203997 * far + 0.42868294337) * far + 3.0812263860) * far + 6.6579051150) /
                                ((0.012258202635 * far + 0.24197894225) * far + 1.0);
  const double size = p == 0.0 ? std::numeric_limits<double>::infinity() : tail;
  return static_cast<float>(std::fabs(q) <= 0.425 ? central : (q < 0.0 ? -size : size));
}

}  // namespace eglantine::cpu_math
