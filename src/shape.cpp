#include "eglantine/shape.hpp"

#include <algorithm>

#include "eglantine/error.hpp"

namespace eglantine {
namespace {

void check_rank(int64_t values) {
  if (values <= max_rank) return;
  throw ShapeError("[Shape] got " + std::to_string(values) + " values, but a tensor has at most " +
                   std::to_string(max_rank) + " axes");
}

/// The length of the axis `back` places before the end; 1 where the shape has none.
int64_t length_from_end(const Shape& shape, int back) { return back <= shape.rank() ? shape[shape.rank() - back] : 1; }

}  // namespace

IntList::IntList(const int64_t* first, const int64_t* last) {
  check_rank(last - first);
  std::copy(first, last, values_.begin());
  rank_ = static_cast<int>(last - first);
}

void IntList::push_back(int64_t value) { insert(rank_, value); }

void IntList::insert(int position, int64_t value) {
  check_rank(rank_ + 1);
  if (position < 0 || position > rank_) fail_position("insert", position, rank_);
  std::copy_backward(begin() + position, end(), end() + 1);
  values_[static_cast<size_t>(position)] = value;
  ++rank_;
}

void IntList::erase(int position) {
  if (position < 0 || position >= rank_) fail_position("erase", position, rank_ - 1);
  std::copy(begin() + position + 1, end(), begin() + position);
  --rank_;
}

void IntList::fail_position(const char* function, int position, int last) const {
  const std::string wanted =
      last < 0 ? "which has no positions" : "whose positions lie in [0, " + std::to_string(last) + "]";
  throw IndexError("[Shape::" + std::string(function) + "] position " + std::to_string(position) + " of " +
                   to_string(*this) + ", " + wanted);
}

bool IntList::operator==(const IntList& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

void Axes::fail_axis(uint64_t axis) {
  throw ShapeError("[Axes] " + std::to_string(axis) + " is no axis of any tensor: it is beyond int64_t");
}

int64_t Shape::elements() const {
  int64_t count = 1, all = 0;
  bool none = false, too_many = false;
  for (const int64_t length : *this) {
    all |= length;
    none |= length == 0;
    too_many |= __builtin_mul_overflow(count, length, &count);
  }
  const bool negative = all < 0;
  if (negative) throw ShapeError("[Shape] " + to_string(*this) + " has a negative length");
  if (none) return 0;
  if (too_many) throw ShapeError("[Shape] " + to_string(*this) + " has more than 2^63 - 1 elements");
  return count;
}

std::string to_string(const IntList& values) {
  std::string text = "(";
  for (int i = 0; i < values.rank(); ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return text + (values.rank() == 1 ? ",)" : ")");
}

std::ostream& operator<<(std::ostream& out, const IntList& values) { return out << to_string(values); }

bool Layout::is_contiguous() const {
  if (strides.size() != static_cast<size_t>(shape.rank()))
    throw ShapeError("[Layout::is_contiguous] " + std::to_string(strides.size()) + " strides for the shape " +
                     to_string(shape));
  if (size() == 0) return true;
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 1) continue;
    if (strides[static_cast<size_t>(i)] != stride) return false;
    stride *= shape[i];
  }
  return true;
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  for (const Shape* each : {&a, &b}) {
    if (std::none_of(each->begin(), each->end(), [](int64_t length) { return length < 0; })) continue;
    throw ShapeError("[broadcast_shapes] " + to_string(*each) + " has a negative length");
  }
  Shape result;
  for (int back = std::max(a.rank(), b.rank()); back > 0; --back) {
    const int64_t m = length_from_end(a, back);
    const int64_t n = length_from_end(b, back);
    if (m != n && m != 1 && n != 1) {
      throw ShapeError("[broadcast_shapes] cannot broadcast " + to_string(a) + " with " + to_string(b));
    }
    result.push_back(m == 1 ? n : m);
  }
  return result;
}

}  // namespace eglantine
