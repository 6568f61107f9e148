#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace eglantine::cpu {

/// Sixteen bytes of elements of one size.
template <class T>
struct SquareSide {
  using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;
  static constexpr int64_t count = 16 / static_cast<int64_t>(sizeof(T));
  using Vector [[gnu::vector_size(16)]] = Bits;
};

/// The lower (half = 0) or upper (1) halves of a and b, element by element in turn.
template <int half, class Vector, size_t... i>
Vector interleaved(Vector a, Vector b, std::index_sequence<i...>) {
  constexpr size_t count = sizeof...(i);
  return __builtin_shufflevector(a, b, (i / 2 + half * count / 2 + i % 2 * count)...);
}

/// One of log2(count) steps that transpose `count` vectors of as many elements, each a perfect shuffle.
template <class T, size_t... i>
[[gnu::always_inline]] inline auto shuffled(const std::array<typename SquareSide<T>::Vector, SquareSide<T>::count>& x,
                                            std::index_sequence<i...>) {
  constexpr auto all = std::make_index_sequence<SquareSide<T>::count>();
  return std::array<typename SquareSide<T>::Vector, SquareSide<T>::count>{
      interleaved<i % 2>(x[i / 2], x[i / 2 + SquareSide<T>::count / 2], all)...};
}

/// to[i * to_pitch + j] = from[i + j * from_pitch] for 0 <= i, j < SquareSide<T>::count.
template <class T>
void transpose_square(const T* from, int64_t from_pitch, T* to, int64_t to_pitch) {
  constexpr int64_t count = SquareSide<T>::count;
  std::array<typename SquareSide<T>::Vector, count> x;
  for (int64_t j = 0; j < count; ++j) std::memcpy(&x[static_cast<size_t>(j)], from + j * from_pitch, 16);
  for (int64_t step = 1; step < count; step *= 2) x = shuffled<T>(x, std::make_index_sequence<count>());
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(static_cast<void*>(to + i * to_pitch), &x[static_cast<size_t>(i)], 16);
}

/// to[i * to_pitch + j] = from[i + j * from_pitch] for 0 <= i < rows, 0 <= j < columns.
template <class T>
void transpose(const T* from, int64_t from_pitch, T* to, int64_t to_pitch, int64_t rows, int64_t columns) {
  constexpr int64_t count = SquareSide<T>::count;
  const int64_t whole_rows = rows / count * count, whole_columns = columns / count * count;
  for (int64_t j = 0; j < whole_columns; j += count)
    for (int64_t i = 0; i < whole_rows; i += count)
      transpose_square(from + i + j * from_pitch, from_pitch, to + i * to_pitch + j, to_pitch);
  for (int64_t j = whole_columns; j < columns; ++j)
    for (int64_t i = 0; i < whole_rows; ++i) to[i * to_pitch + j] = from[i + j * from_pitch];
  for (int64_t i = whole_rows; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * to_pitch + j] = from[i + j * from_pitch];
}

}  // namespace eglantine::cpu
