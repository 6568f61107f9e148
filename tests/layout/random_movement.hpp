#pragma once

#include <algorithm>
#include <vector>

#include "layout_model.hpp"

namespace eglantine::layout_model {

/// A layout and the same movements made element by element.
struct Moved {
  Layout layout;
  Model model;
};

inline Moved start_from(const Shape& shape, int64_t offset = 0) {
  const Layout x = layout::contiguous(shape, offset);
  return {x, {shape, addresses(x)}};
}

inline Moved random_permute(Random& random, const Moved& x) {
  std::vector<int64_t> order(static_cast<size_t>(x.model.shape.rank()));
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int64_t>(i);
    std::swap(order[i], order[random() % (i + 1)]);
  }
  const Axes axes(order);
  Shape shape = x.model.shape;
  for (int i = 0; i < shape.rank(); ++i) shape[i] = x.model.shape[static_cast<int>(axes[i])];
  const auto from = [&](const Shape& at) {
    Shape source = at;
    for (int i = 0; i < at.rank(); ++i) source[static_cast<int>(axes[i])] = at[i];
    return source;
  };
  return {layout::permute(x.layout, axes), x.model.gather(shape, from)};
}

inline Moved random_expand(Random& random, const Moved& x) {
  Shape shape = x.model.shape;
  for (int64_t& length : shape) {
    if (length == 1) length = draw(random, 1, 3);
  }
  const bool grow = shape.rank() < 6 && draw(random, 0, 2) == 0;
  if (grow) shape.insert(0, draw(random, 1, 3));
  const auto from = [&](const Shape& at) {
    Shape source = x.model.shape;
    for (int i = 0; i < source.rank(); ++i) source[i] = x.model.shape[i] == 1 ? 0 : at[i + (grow ? 1 : 0)];
    return source;
  };
  return {layout::expand(x.layout, shape), x.model.gather(shape, from)};
}

inline Moved random_slice(Random& random, const Moved& x, int axis) {
  const int64_t length = x.model.shape[axis];
  int64_t step = draw(random, 1, 3);
  int64_t start = length == 0 ? 0 : draw(random, 0, length - 1);
  int64_t count = (length - start + step - 1) / step;
  if (draw(random, 0, 2) == 0) {
    count = length == 0 ? 0 : start / step + 1;
    step = -step;
  }
  Shape shape = x.model.shape;
  shape[axis] = count;
  const auto from = [&](Shape at) {
    at[axis] = start + at[axis] * step;
    return at;
  };
  return {layout::slice(x.layout, axis, start, count, step), x.model.gather(shape, from)};
}

inline Moved random_flip(Random&, const Moved& x, int axis) {
  const auto from = [&](Shape at) {
    at[axis] = x.model.shape[axis] - 1 - at[axis];
    return at;
  };
  return {layout::flip(x.layout, axis), x.model.gather(x.model.shape, from)};
}

inline Moved random_unit_axis(Random& random, const Moved& x) {
  for (int i = 0; i < x.model.shape.rank(); ++i) {
    if (x.model.shape[i] != 1) continue;
    Shape shape = x.model.shape;
    shape.erase(i);
    return {layout::squeeze(x.layout, i), {shape, x.model.addresses}};
  }
  if (x.model.shape.rank() >= 6) return x;
  const int axis = static_cast<int>(draw(random, 0, x.model.shape.rank()));
  Shape shape = x.model.shape;
  shape.insert(axis, 1);
  return {layout::unsqueeze(x.layout, axis), {shape, x.model.addresses}};
}

/// No change where the layout cannot take the new shape; reshape_test checks when that may be.
inline Moved random_reshape(Random& random, const Moved& x) {
  const Shape shape = random_reshape(random, x.model.shape);
  const auto reshaped = layout::reshape(x.layout, shape);
  if (!reshaped) return x;
  return {*reshaped, {shape, x.model.addresses}};
}

inline Moved random_movement(Random& random, const Moved& x) {
  const int rank = x.model.shape.rank();
  const int axis = rank > 0 ? static_cast<int>(draw(random, 0, rank - 1)) : -1;
  switch (draw(random, 0, 5)) {
    case 0:
      return random_permute(random, x);
    case 1:
      return x.model.addresses.size() < 500 ? random_expand(random, x) : x;
    case 2:
      return axis >= 0 ? random_slice(random, x, axis) : x;
    case 3:
      return axis >= 0 ? random_flip(random, x, axis) : x;
    case 4:
      return random_unit_axis(random, x);
    default:
      return random_reshape(random, x);
  }
}

inline Moved random_chain(Random& random, Moved x, int64_t length) {
  for (int64_t i = 0; i < length; ++i) x = random_movement(random, x);
  return x;
}

}  // namespace eglantine::layout_model
