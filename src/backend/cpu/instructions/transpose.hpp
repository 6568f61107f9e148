#pragma once

#include <algorithm>
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

/// to[i * to_pitch + j] = from[i + j * from_pitch] for 0 <= i < rows, 0 <= j < columns, at most SquareSide<T>::count of
/// each. Reads whole vectors, and writes them, the later over the earlier.
template <class T>
[[gnu::always_inline]] inline void transpose_square(const T* from, int64_t from_pitch, T* to, int64_t to_pitch,
                                                    int64_t rows, int64_t columns) {
  constexpr int64_t count = SquareSide<T>::count;
  std::array<typename SquareSide<T>::Vector, count> x{};
  for (int64_t j = 0; j < columns; ++j) std::memcpy(&x[static_cast<size_t>(j)], from + j * from_pitch, 16);
  for (int64_t step = 1; step < count; step *= 2) x = shuffled<T>(x, std::make_index_sequence<count>());
  for (int64_t i = 0; i < rows; ++i) std::memcpy(static_cast<void*>(to + i * to_pitch), &x[static_cast<size_t>(i)], 16);
}

/// The same of any number of rows and columns, one by one, the longer axis innermost.
template <class T>
void transpose_each(const T* from, int64_t from_pitch, T* to, int64_t to_pitch, int64_t rows, int64_t columns) {
  const auto move = [&](int64_t i, int64_t j) { to[i * to_pitch + j] = from[i + j * from_pitch]; };
  if (rows < columns) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) move(i, j);
  } else {
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) move(i, j);
  }
}

/// The same of any number of rows and columns. Two or three words side by side are written by vectors that reach into
/// the rows below, or read by such, but for the last, which would reach beyond the end.
template <class T>
void transpose(const T* from, int64_t from_pitch, T* to, int64_t to_pitch, int64_t rows, int64_t columns) {
  constexpr int64_t count = SquareSide<T>::count;
  const auto whole = [](int64_t length) { return length > 0 ? length / count * count : 0; };
  constexpr bool few = sizeof(T) == 4;  // of smaller elements most of a square would be nothing
  const bool few_columns = few && columns < count && to_pitch == columns;
  const bool few_rows = few && rows < count && from_pitch == rows;
  const int64_t all_rows = few_columns ? whole(rows - count / columns) : few_rows ? rows : whole(rows);
  const int64_t all_columns = few_columns ? columns : few_rows ? whole(columns - count / rows) : whole(columns);
  for (int64_t j = 0; j < all_columns; j += count)
    for (int64_t i = 0; i < all_rows; i += count) {
      const T* square = from + i + j * from_pitch;
      if (few_columns || few_rows)
        transpose_square(square, from_pitch, to + i * to_pitch + j, to_pitch, std::min(rows, count),
                         std::min(columns, count));
      else
        transpose_square(square, from_pitch, to + i * to_pitch + j, to_pitch, count, count);
    }
  transpose_each(from + all_columns * from_pitch, from_pitch, to + all_columns, to_pitch, all_rows,
                 columns - all_columns);
  transpose_each(from + all_rows, from_pitch, to + all_rows * to_pitch, to_pitch, rows - all_rows, columns);
}

}  // namespace eglantine::cpu
