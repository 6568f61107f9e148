#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "eglantine/export.hpp"

namespace eglantine {

/// Whether int64_t holds an integer of any type.
template <std::integral T>
constexpr bool fits_int64(T value) {
  if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(int64_t)) return value <= static_cast<T>(INT64_MAX);
  return true;
}

/// The largest rank of a tensor.
inline constexpr int max_rank = 8;

/// A short list of integers, held in place: the common part of Shape and Axes.
/// Throws ShapeError when given more than `max_rank` values, IndexError for a position that it does not have.
class EGLANTINE_API IntList {
 public:
  IntList() = default;
  IntList(std::initializer_list<int64_t> values) : IntList(values.begin(), values.end()) {}
  IntList(const std::vector<int64_t>& values) : IntList(values.data(), values.data() + values.size()) {}
  IntList(const int64_t* first, const int64_t* last);

  int rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](int i) const { return values_[place(i)]; }
  int64_t& operator[](int i) { return values_[place(i)]; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + rank_; }
  int64_t* begin() { return values_.data(); }
  int64_t* end() { return values_.data() + rank_; }
  void push_back(int64_t value);
  void insert(int position, int64_t value);
  void erase(int position);
  std::vector<int64_t> to_vector() const { return {begin(), end()}; }
  bool contains(int64_t value) const { return std::find(begin(), end(), value) != end(); }
  bool operator==(const IntList& other) const;

 private:
  size_t place(int i) const {
    if (i < 0 || i >= rank_) fail_position("[]", i, rank_ - 1);
    return static_cast<size_t>(i);
  }
  [[noreturn]] void fail_position(const char* function, int position, int last) const;

  std::array<int64_t, max_rank> values_{};
  int rank_ = 0;
};

/// The lengths of a tensor's axes, outermost first; `{}` is a scalar's. Also an index into a tensor or a grid of tiles.
class EGLANTINE_API Shape : public IntList {
 public:
  using IntList::IntList;
  /// The number of elements: the product of the lengths, 1 for a scalar. Throws ShapeError when it passes 2^63 - 1 or a
  /// length is negative.
  int64_t elements() const;
};

/// Axes of a tensor; negative ones count from the end. One integer is one axis; `{}` as axes of a reduction means all.
class EGLANTINE_API Axes : public IntList {
 public:
  using IntList::IntList;
  /// Throws ShapeError for an integer beyond int64_t.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Axes(T axis) {
    if (!fits_int64(axis)) fail_axis(static_cast<uint64_t>(axis));
    push_back(static_cast<int64_t>(axis));
  }

 private:
  [[noreturn]] static void fail_axis(uint64_t axis);
};

/// "(2, 3)", "(5,)", "()".
EGLANTINE_API std::string to_string(const IntList& values);
EGLANTINE_API std::ostream& operator<<(std::ostream& out, const IntList& values);

enum class MemoryOrder { row_major, column_major };

/// How the elements of a tensor lie in its buffer: element (i, j, ...) is at offset + i * strides[0] + j * strides[1] +
/// ... A stride is in elements; it is 0 along a broadcast axis and negative along a flipped one.
struct EGLANTINE_API Layout {
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;

  int64_t size() const { return shape.elements(); }
  /// Row-major without gaps, whatever the offset. Axes of length 1 may have any stride.
  bool is_contiguous() const;
};

/// The shape that a and b broadcast to by NumPy's rule: aligned at the last axis, equal lengths or one of them 1.
/// Throws ShapeError when they do not.
EGLANTINE_API Shape broadcast_shapes(const Shape& a, const Shape& b);

}  // namespace eglantine
