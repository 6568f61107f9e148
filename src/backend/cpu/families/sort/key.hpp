#pragma once

#include <cstdint>

#include "backend/cpu/instructions/block_ops.hpp"
#include "element_types.hpp"

namespace eglantine::cpu {

using Pair = uint64_t;                               ///< a key in the high half, its place in a row in the low half
inline constexpr int64_t fewest_in_chunk = 1 << 16;  ///< elements of the smallest part of a row that a thread takes

/// A key's bits as an integer in sort()'s order, ascending for flip = 0, descending for ~0: negative floats' bits fall
/// as they grow. -0 becomes +0, every NaN the largest for any flip. The same as eg_sort_key_... of glsl/math.
inline Word sort_key(DType dtype, Word bits, Word flip) {
  switch (computed_type(dtype)) {
    case DType::f32: {
      const Word magnitude = bits & 0x7fffffffU;
      if (magnitude > 0x7f800000U) return ~Word{0};
      const Word key = magnitude == 0 ? 0x80000000U : bits ^ ((bits >> 31) != 0 ? ~Word{0} : 0x80000000U);
      return key ^ flip;
    }
    case DType::i32:
      return bits ^ 0x80000000U ^ flip;
    case DType::u32:
      return bits ^ flip;
    default:
      break;
  }
  return (bits ^ flip) & 1U;
}

/// The bits whose sort_key() this is; +0 of both zeros, some NaN of every one.
inline Word bits_of_sort_key(DType dtype, Word key, Word flip) {
  switch (computed_type(dtype)) {
    case DType::f32: {
      const Word ascending = key ^ flip;
      return ascending ^ ((ascending >> 31) != 0 ? 0x80000000U : ~Word{0});
    }
    case DType::i32:
      return key ^ 0x80000000U ^ flip;
    case DType::u32:
      return key ^ flip;
    default:
      break;
  }
  return (key ^ flip) & 1U;
}

}  // namespace eglantine::cpu
