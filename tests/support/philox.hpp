#pragma once

#include <array>
#include <cstdint>

namespace eglantine::test {

/// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", 2011), written from
/// the paper.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * counter[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(second >> 32U) ^ counter[1] ^ key[0], static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32U) ^ counter[3] ^ key[1], static_cast<uint32_t>(first)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return counter;
}

/// Word `element` of the stream that uniform() and normal() draw from.
inline uint32_t philox_word(uint64_t seed, uint64_t element) {
  const uint64_t counter = element / 4;
  return philox({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32U), 0, 0},
                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32U)})[element % 4];
}

}  // namespace eglantine::test
