#pragma once

#include "support/array.hpp"

namespace eglantine::test {

inline constexpr DType every_dtype[] = {DType::f32, DType::i32,  DType::u32, DType::boolean,
                                        DType::f16, DType::bf16, DType::i8,  DType::u8};
/// What references of a test's own compute; verbs of narrow numbers are held to what they give of wide ones
/// (verbs/narrow).
inline constexpr DType wide_dtypes[] = {DType::f32, DType::i32, DType::u32, DType::boolean};
inline constexpr DType wide_numbers[] = {DType::f32, DType::i32, DType::u32};
inline constexpr DType numeric_dtypes[] = {DType::f32,  DType::i32, DType::u32, DType::f16,
                                           DType::bf16, DType::i8,  DType::u8};

/// Shapes for verbs of any rank: scalars, empty, one element, primes, and lengths that are no multiple of a vector, a
/// lane count or a block.
inline std::vector<Dims> every_shape() {
  return {{},        {0},        {1},        {13},         {127},        {1025},
          {0, 3},    {3, 0},     {1, 13},    {13, 127},    {3, 1025},    {1025, 3},
          {2, 0, 5}, {7, 1, 13}, {5, 13, 3}, {2, 3, 4, 5}, {1, 1, 1, 1}, {3, 1, 5, 13}};
}

/// Those with rank at least `rank`.
inline std::vector<Dims> shapes_of_rank(size_t rank) {
  std::vector<Dims> shapes;
  for (const Dims& shape : every_shape())
    if (shape.size() >= rank) shapes.push_back(shape);
  return shapes;
}

}  // namespace eglantine::test
