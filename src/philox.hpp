#pragma once

#include <array>
#include <cstdint>

namespace eglantine {

inline constexpr int philox_rounds = 10;
inline constexpr uint32_t philox_factor0 = 0xd2511f53u, philox_factor1 = 0xcd9e8d57u;
inline constexpr uint32_t philox_step_low = 0x9e3779b9u, philox_step_high = 0xbb67ae85u;

/// The four words of a counter by Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3" (2011).
inline std::array<uint32_t, 4> philox_block(std::array<uint32_t, 4> counter, uint32_t key_low, uint32_t key_high) {
  std::array<uint32_t, 4> c = counter;
  for (int i = 0; i < philox_rounds; ++i) {
    const uint64_t product0 = uint64_t{philox_factor0} * c[0];
    const uint64_t product1 = uint64_t{philox_factor1} * c[2];
    c = {static_cast<uint32_t>(product1 >> 32) ^ c[1] ^ key_low, static_cast<uint32_t>(product1),
         static_cast<uint32_t>(product0 >> 32) ^ c[3] ^ key_high, static_cast<uint32_t>(product0)};
    key_low += philox_step_low;
    key_high += philox_step_high;
  }
  return c;
}

}  // namespace eglantine
