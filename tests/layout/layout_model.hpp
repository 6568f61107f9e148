#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "layout/layout.hpp"

/// Layouts index by index: the slow model against which the arithmetic is checked.
namespace eglantine::layout_model {

using Random = std::mt19937_64;

/// A number in [low, high], the same on every standard library.
inline int64_t draw(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

/// Calls visit(coordinate) for every coordinate of `shape`, in row-major order.
inline void for_each_coordinate(const Shape& shape, const std::function<void(const Shape&)>& visit) {
  if (shape.elements() == 0) return;
  Shape at = shape;
  std::fill(at.begin(), at.end(), 0);
  while (true) {
    visit(at);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++at[axis] == shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

/// The address of every element, in row-major order.
inline std::vector<int64_t> addresses(const Layout& x) {
  std::vector<int64_t> result;
  for_each_coordinate(x.shape, [&](const Shape& at) {
    int64_t address = x.offset;
    for (int i = 0; i < at.rank(); ++i) address += at[i] * x.strides[static_cast<size_t>(i)];
    result.push_back(address);
  });
  return result;
}

/// The row-major index of a coordinate.
inline int64_t position(const Shape& at, const Shape& shape) {
  int64_t result = 0;
  for (int i = 0; i < shape.rank(); ++i) result = result * shape[i] + at[i];
  return result;
}

/// A tensor of addresses, moved by copying them one by one.
struct Model {
  Shape shape;
  std::vector<int64_t> addresses;

  /// Element `at` of the result is element from(at) of this.
  Model gather(const Shape& result, const std::function<Shape(const Shape&)>& from) const {
    Model moved{result, {}};
    for_each_coordinate(result, [&](const Shape& at) {
      moved.addresses.push_back(addresses[static_cast<size_t>(position(from(at), shape))]);
    });
    return moved;
  }
};

/// The only strides that can express these addresses, where any can.
inline std::optional<Layout> express(const Model& model) {
  Layout x = layout::contiguous(model.shape);
  if (model.addresses.empty()) return x;
  x.offset = model.addresses.front();
  for (int i = 0; i < model.shape.rank(); ++i) {
    const auto step = static_cast<size_t>(layout::contiguous(model.shape).strides[static_cast<size_t>(i)]);
    if (model.shape[i] > 1) x.strides[static_cast<size_t>(i)] = model.addresses[step] - x.offset;
  }
  if (addresses(x) != model.addresses) return std::nullopt;
  return x;
}

inline Shape random_shape(Random& random, int max_axes, bool allow_empty = false) {
  const std::vector<int64_t> lengths{1, 2, 3, 4, 5, 6, 13};
  Shape shape;
  const int64_t rank = draw(random, 0, max_axes);
  while (shape.rank() < rank && shape.elements() < 400) shape.push_back(lengths[random() % lengths.size()]);
  if (allow_empty && !shape.empty() && draw(random, 0, 19) == 0) shape[0] = 0;
  return shape;
}

/// Another shape of the same size: axes are multiplied, split in two, and get neighbours of length 1.
inline Shape random_reshape(Random& random, const Shape& shape) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool join = !result.empty() && draw(random, 0, 2) == 0;
    if (join) {
      result[result.rank() - 1] *= shape[axis];
    } else {
      result.push_back(shape[axis]);
    }
    const bool room = result.rank() + shape.rank() - axis <= 6;
    const int last = result.rank() - 1;
    const int64_t factor = draw(random, 1, 6);
    if (room && result[last] > 0 && result[last] % factor == 0) {
      result[last] /= factor;
      result.push_back(factor);
    }
  }
  if (result.rank() < 6 && draw(random, 0, 3) == 0) result.insert(static_cast<int>(draw(random, 0, result.rank())), 1);
  return result;
}

}  // namespace eglantine::layout_model
