#include <algorithm>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

int64_t at_least_1(int64_t number) { return std::max<int64_t>(1, number); }

/// (rows, columns) of about so many elements, with rows for an index to choose among.
Shape table(Sketch& s, int64_t elements) {
  const Shape shape = s.shape(elements, 2, 2);
  return shape[0] > 1 ? shape : Shape{shape[1], shape[0]};
}

/// bytes: of the places, and of what they name read and written.
void take_flat(Sketch& s) {
  const int64_t count = s.shape(s.room(12), 1, 1)[0], from = s.dice.log_between(2, 4 * count);
  s.operand({from});
  s.places({count}, from);
  s.result({count});
  s.verb("elements", [](const Tensors& x) { return Tensors{take(x[0], x[1], 0)}; });
  s.drawn.bytes = 4 * static_cast<double>(2 * count + std::min(count, from));
}

void take_axis(Sketch& s, int axis) {
  const Shape shape = table(s, s.room(8));
  const int64_t count = s.dice.log_between(at_least_1(shape[axis] / 4), shape[axis]);
  s.operand(shape, Fill::normal, s.dice.of({DType::f32, DType::f32, DType::f16}));
  s.places({count}, shape[axis]);
  Shape result = shape;
  result[axis] = count;
  s.parameter("axis", {axis});
  s.result(result, s.drawn.operands[0].dtype());
  s.verb("slices", [axis](const Tensors& x) { return Tensors{take(x[0], x[1], axis)}; });
  const auto width = static_cast<double>(size_of(s.drawn.operands[0].dtype()));
  s.drawn.bytes = 2 * width * static_cast<double>(result.elements()) + 4 * static_cast<double>(count);
}

void take_pairs(Sketch& s) {
  const Shape shape = table(s, s.room(4) / 2 + 2);
  const int64_t count = at_least_1(shape.elements() / 2);
  s.operand(shape);
  s.places({count}, shape[0]);
  s.places({count}, shape[1]);
  s.result({count});
  s.verb("pairs", [](const Tensors& x) { return Tensors{copied(x[0](x[1], x[2]))}; });
  s.drawn.bytes = 16 * static_cast<double>(count);
}

/// Of a result as long as x; `updates` elements are added to it.
void adding(Sketch& s, const char* verb, const Shape& x, const Shape& updates, Verb call) {
  s.result(x);
  s.verb(verb, std::move(call));
  const double added = static_cast<double>(updates.elements()) / std::max(1.0, static_cast<double>(x.elements()));
  s.within(2e-5, 1e-5 * (1 + std::min(added, 1000.0)));
}

void scatter_add_axis(Sketch& s) {
  const Shape shape = table(s, s.room(16));
  const auto axis = static_cast<int>(s.dice.below(2));
  s.operand(shape);
  s.places(shape, shape[axis]);
  s.operand(shape);
  s.parameter("axis", {axis});
  adding(s, "scatter_add", shape, shape,
         [axis](const Tensors& x) { return Tensors{scatter_add(x[0], axis, x[1], x[2])}; });
}

void index_add_rows(Sketch& s) {
  const Shape updates = table(s, s.room(8)), shape{s.dice.log_between(1, updates[0]), updates[1]};
  s.operand(shape);
  s.places({updates[0]}, shape[0]);
  s.operand(updates);
  adding(s, "index_add", shape, updates, [](const Tensors& x) { return Tensors{index_add(x[0], 0, x[1], x[2])}; });
}

void put_pairs(Sketch& s) {
  const Shape shape = table(s, s.room(20));
  const int64_t count = at_least_1(shape.elements());
  s.operand(shape);
  s.places({count}, shape[0]);
  s.places({count}, shape[1]);
  s.operand({count});
  adding(s, "index_put_add", shape, {count}, [](const Tensors& x) {
    return Tensors{x[0].index_put_add({x[1], x[2]}, x[3])};
  });
}

void sum_segments(Sketch& s) {
  const Shape updates = table(s, s.room(5)), shape{s.dice.log_between(1, updates[0]), updates[1]};
  s.operand(updates);
  s.places({updates[0]}, shape[0]);
  s.parameter("count", {shape[0]});
  adding(s, "segment_sum", shape, updates,
         [count = shape[0]](const Tensors& x) { return Tensors{segment_sum(x[0], x[1], count)}; });
}

void count_bins(Sketch& s) {
  const bool weighted = s.dice.one_in(2);
  const int64_t count = s.shape(s.room(weighted ? 8 : 4), 1, 1)[0],
                bins = s.dice.log_between(2, at_least_1(count / 2) + 1);
  s.places({count}, bins);
  if (weighted) s.operand({count}, Fill::positive);
  s.parameter("bins", {bins});
  adding(s, weighted ? "bincount_weighted" : "bincount", {bins}, {count},
         [=](const Tensors& x) { return Tensors{bincount(x[0], weighted ? x[1] : Tensor(), bins)}; });
  if (!weighted) s.drawn.results = {{{bins}, DType::i32}};
}

}  // namespace

void draw_take(Sketch& s) {
  switch (s.dice.below(5)) {
    case 0:
    case 1:
      return take_flat(s);
    case 2:
      return take_axis(s, 0);
    case 3:
      return take_axis(s, 1);
    default:
      return take_pairs(s);
  }
}

void draw_take_along(Sketch& s) {
  const Shape shape = s.shape(s.room(10), 1, 3);
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  Shape index = shape;
  index[axis] = s.dice.log_between(at_least_1(shape[axis] / 4), shape[axis]);
  s.operand(shape);
  s.places(index, shape[axis]);
  s.parameter("axis", {axis});
  s.result(index);
  s.verb("take_along_axis", [axis](const Tensors& x) { return Tensors{take_along_axis(x[0], x[1], axis)}; });
  s.drawn.bytes = 12 * static_cast<double>(index.elements());
}

void draw_adding(Sketch& s) {
  constexpr void (*draws[])(Sketch&) = {scatter_add_axis, index_add_rows, put_pairs, sum_segments, count_bins};
  s.dice.of(draws)(s);
}

/// What a call gives is not counted: it depends on data.
void draw_select(Sketch& s) {
  const Shape shape = s.shape(s.room(7), 1, 3);
  const int64_t verb = s.dice.below(4);
  if (verb != 1) s.operand(shape);
  if (verb < 2)
    s.mask(shape);
  else if (verb == 2)
    s.mask({shape[0]});
  constexpr const char* names[] = {"compress", "nonzero", "compress_rows", "compress_positive"};
  s.verb(names[verb], [verb](const Tensors& x) {
    if (verb == 1) return Tensors{nonzero(x[0])};
    return Tensors{compress(x[0], verb == 3 ? gt(x[0], 0.0F) : x[1])};
  });
}

}  // namespace eglantine::perf::drawn
