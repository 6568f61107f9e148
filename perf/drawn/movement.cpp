#include <algorithm>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

DType moved_type(Dice& dice) {
  return dice.of({DType::f32, DType::f32, DType::f32, DType::f16, DType::u8, DType::i32});
}

double width_of_moved(DType dtype) { return static_cast<double>(size_of(dtype)); }

/// Any order of the axes but their own.
std::vector<int64_t> drawn_order(Dice& dice, int rank) {
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) axes.insert(axes.begin() + dice.between(0, i), i);
  if (std::is_sorted(axes.begin(), axes.end())) std::rotate(axes.begin(), axes.begin() + 1, axes.end());
  return axes;
}

void permute_copy(Sketch& s, const Shape& shape, DType dtype) {
  const std::vector<int64_t> axes = drawn_order(s.dice, shape.rank());
  Shape result;
  for (const int64_t axis : axes) result.push_back(shape[static_cast<int>(axis)]);
  s.parameter("axes", axes);
  s.result(result, dtype);
  s.verb("permute", [axes = Axes(axes)](const Tensors& x) { return Tensors{copied(x[0].permute(axes))}; });
}

void flip_copy(Sketch& s, const Shape& shape, DType dtype) {
  const int64_t axis = s.dice.below(shape.rank());
  s.parameter("axis", {axis});
  s.result(shape, dtype);
  s.verb("flip", [axis](const Tensors& x) { return Tensors{copied(x[0].flip(axis))}; });
}

void slice_copy(Sketch& s, const Shape& shape, DType dtype) {
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  const int64_t step = s.dice.between(1, 3), start = std::min<int64_t>(s.dice.between(0, 5), shape[axis] - 1);
  Shape result = shape;
  result[axis] = (shape[axis] - start + step - 1) / step;
  s.parameter("axis", {axis});
  s.parameter("start", {start});
  s.parameter("step", {step});
  s.result(result, dtype);
  s.verb("slice", [=](const Tensors& x) { return Tensors{copied(x[0].slice(axis, start, {}, step))}; });
}

void triangle(Sketch& s, const Shape& shape, DType dtype) {
  s.result(shape, dtype);
  s.verb("tril", [](const Tensors& x) { return Tensors{copied(tril(x[0]))}; });
}

void reshape_transposed(Sketch& s, const Shape& shape, DType dtype) {
  s.result({shape.elements()}, dtype);
  s.verb("ravel_transposed",
         [](const Tensors& x) { return Tensors{copied(x[0].transpose(-2, -1).reshape({x[0].size()}))}; });
}

constexpr void (*moves[])(Sketch&, const Shape&, DType) = {permute_copy, permute_copy, flip_copy,
                                                           slice_copy,   triangle,     reshape_transposed};

void join_parts(Sketch& s, bool stacks, DType dtype) {
  const int64_t parts = s.dice.between(2, 4);
  const Shape shape = s.shape(s.room(2 * width_of_moved(dtype)) / parts, 1, 4);
  const auto axis = static_cast<int>(s.dice.below(shape.rank() + (stacks ? 1 : 0)));
  for (int64_t i = 0; i < parts; ++i) s.operand(shape, Fill::normal, dtype);
  Shape result = shape;
  if (stacks)
    result.insert(axis, parts);
  else
    result[axis] *= parts;
  s.parameter("axis", {axis});
  s.result(result, dtype);
  s.verb(stacks ? "stack" : "concatenate",
         [=](const Tensors& x) { return Tensors{stacks ? stack(x, axis) : concatenate(x, axis)}; });
}

void pad_all(Sketch& s, bool reflects, DType dtype) {
  Shape shape = s.shape(s.room(2 * width_of_moved(dtype)), 1, 4), result = shape;
  std::vector<std::pair<int64_t, int64_t>> pairs(static_cast<size_t>(shape.rank()));
  std::vector<int64_t> flat;
  for (int i = 0; i < shape.rank(); ++i) {
    // PyTorch reflects the last three axes at the most, and needs batches before them.
    const bool grows = reflects ? i == shape.rank() - 1 : true;
    auto& [before, after] = pairs[static_cast<size_t>(i)];
    before = grows ? std::min(s.dice.between(0, 3), shape[i] - 1) : 0;
    after = grows ? std::min(s.dice.between(0, 3), shape[i] - 1) : 0;
    result[i] += before + after;
    flat.insert(flat.end(), {before, after});
  }
  s.operand(shape, Fill::normal, dtype);
  s.parameter("pads", flat);
  s.result(result, dtype);
  const PadMode mode = reflects ? PadMode::reflect : PadMode::constant;
  s.verb(reflects ? "pad_reflect" : "pad", [=](const Tensors& x) { return Tensors{copied(pad(x[0], pairs, mode))}; });
}

void roll_axis(Sketch& s, DType dtype) {
  const Shape shape = s.shape(s.room(2 * width_of_moved(dtype)), 1, 4);
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  const int64_t shift = s.dice.between(1, std::max<int64_t>(1, shape[axis] - 1));
  s.operand(shape, Fill::normal, dtype);
  s.parameter("axis", {axis});
  s.parameter("shift", {shift});
  s.result(shape, dtype);
  s.verb("roll", [=](const Tensors& x) { return Tensors{copied(roll(x[0], shift, axis))}; });
}

void repeat_axis(Sketch& s, bool whole, DType dtype) {
  const int64_t count = s.dice.between(2, 5);
  const Shape shape = s.shape(s.room(static_cast<double>(1 + count) * width_of_moved(dtype)), 1, 3);
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  Shape result = shape;
  result[axis] *= count;
  std::vector<int64_t> counts(static_cast<size_t>(shape.rank()), 1);
  counts[static_cast<size_t>(axis)] = count;
  s.operand(shape, Fill::normal, dtype);
  s.parameter("axis", {axis});
  s.parameter("count", {count});
  s.result(result, dtype);
  s.verb(whole ? "tile" : "repeat",
         [=](const Tensors& x) { return Tensors{whole ? tile(x[0], counts) : repeat(x[0], count, axis)}; });
}

}  // namespace

void draw_movement(Sketch& s) {
  const DType dtype = moved_type(s.dice);
  const Shape shape = s.shape(s.room(2 * width_of_moved(dtype)), 2, 5);
  s.operand(shape, Fill::normal, dtype);
  s.dice.of(moves)(s, shape, dtype);
}

void draw_join(Sketch& s) {
  const DType dtype = moved_type(s.dice);
  switch (s.dice.below(7)) {
    case 0:
      return join_parts(s, false, dtype);
    case 1:
      return join_parts(s, true, dtype);
    case 2:
      return pad_all(s, false, dtype);
    case 3:
      return pad_all(s, true, DType::f32);
    case 4:
      return roll_axis(s, dtype);
    case 5:
      return repeat_axis(s, false, dtype);
    default:
      return repeat_axis(s, true, dtype);
  }
}

}  // namespace eglantine::perf::drawn
