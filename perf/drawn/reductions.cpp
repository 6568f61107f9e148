#include <algorithm>
#include <cmath>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

namespace {

struct Reduction {
  const char* name;
  Tensor (*of)(const Tensor&, const Axes&);
  Fill fill = Fill::normal;
  DType result = DType::f32;
};

constexpr Reduction reductions[] = {
    {"sum", [](const Tensor& x, const Axes& axes) { return sum(x, axes); }},
    {"mean", [](const Tensor& x, const Axes& axes) { return mean(x, axes); }, Fill::positive},
    {"max", [](const Tensor& x, const Axes& axes) { return max(x, axes); }},
    {"min", [](const Tensor& x, const Axes& axes) { return min(x, axes); }},
    {"var", [](const Tensor& x, const Axes& axes) { return var(x, axes); }},
    {"norm", [](const Tensor& x, const Axes& axes) { return norm(x, axes); }},
    {"mean_abs", [](const Tensor& x, const Axes& axes) { return mean(abs(x), axes); }},
    {"sum_square", [](const Tensor& x, const Axes& axes) { return sum(x * x, axes); }},
    {"sum_exp", [](const Tensor& x, const Axes& axes) { return sum(exp(x), axes); }},
    {"logsumexp", [](const Tensor& x, const Axes& axes) { return logsumexp(x, axes); }},
    {"any", [](const Tensor& x, const Axes& axes) { return any(x, axes); }, Fill::mask, DType::boolean},
    {"all", [](const Tensor& x, const Axes& axes) { return all(x, axes); }, Fill::mask, DType::boolean},
    {"count", [](const Tensor& x, const Axes& axes) { return count_nonzero(x, axes); }, Fill::mask, DType::i32},
};

/// f32 mostly; f16, bf16 and i32 where the verb keeps them and their sums stay small.
DType reduced_type(Sketch& s, const Reduction& verb) {
  const std::string_view name = verb.name;
  if (verb.fill == Fill::mask) return DType::boolean;
  if (name == "max" || name == "min")
    return s.dice.of({DType::f32, DType::f32, DType::f32, DType::f16, DType::bf16, DType::i32});
  return name == "mean" ? s.float_type() : DType::f32;
}

/// Sums of n numbers of the size of 1 that may cancel.
double absolute_of_sum(int64_t n) { return 4e-6 * std::sqrt(static_cast<double>(n)) + 1e-6; }

Shape without(const Shape& shape, const std::vector<int64_t>& axes) {
  Shape rest;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) rest.push_back(shape[i]);
  return rest;
}

/// At least one axis; every set of them may be drawn.
std::vector<int64_t> some_axes(Dice& dice, int rank) {
  std::vector<int64_t> axes;
  const int64_t first = dice.below(rank);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis == first || dice.one_in(3)) axes.push_back(axis);
  return axes;
}

void reduce(Sketch& s, const Shape& shape, const std::vector<int64_t>& axes, const Reduction& verb, DType dtype) {
  if (dtype == DType::boolean)
    s.mask(shape);
  else
    s.operand(shape, verb.fill, dtype);
  const Shape rest = without(shape, axes);
  s.result(rest, verb.result == DType::f32 ? dtype : verb.result);
  s.verb(verb.name, [of = verb.of, axes = Axes(axes)](const Tensors& x) { return Tensors{of(x[0], axes)}; });
  const int64_t summed = shape.elements() / std::max<int64_t>(1, rest.elements());
  s.within(1e-5, std::string_view(verb.name) == "sum" ? absolute_of_sum(summed) : 1e-5, dtype);
}

double width_of(DType dtype) { return dtype == DType::boolean ? 1 : static_cast<double>(size_of(dtype)); }

struct Scan {
  const char* name;
  Tensor (*of)(const Tensor&, int);
  Fill fill = Fill::normal;
};

constexpr Scan scan_verbs[] = {
    {"cumsum", [](const Tensor& x, int axis) { return cumsum(x, axis); }, Fill::positive},
    {"cumsum_exclusive", [](const Tensor& x, int axis) { return cumsum(x, axis, true); }, Fill::positive},
    {"cumsum_reverse", [](const Tensor& x, int axis) { return cumsum(x, axis, false, true); }, Fill::positive},
    {"cummax", [](const Tensor& x, int axis) { return cummax(x, axis); }},
    {"diff", [](const Tensor& x, int axis) { return diff(x, 1, axis); }},
};

}  // namespace

void draw_reduce_all(Sketch& s) {
  const Reduction& verb = s.dice.of(reductions);
  const DType dtype = reduced_type(s, verb);
  const Shape shape = s.shape(s.room(width_of(dtype)), 1, 4);
  std::vector<int64_t> axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  reduce(s, shape, axes, verb, dtype);
}

void draw_reduce_axes(Sketch& s) {
  const Reduction& verb = s.dice.of(reductions);
  const DType dtype = reduced_type(s, verb);
  Shape shape = s.shape(s.room(width_of(dtype)), 2, 5);
  // One in four has an axis of the length of a colour or a point.
  if (s.dice.one_in(4)) {
    const auto axis = static_cast<int>(s.dice.below(shape.rank()));
    const int64_t other = (axis + 1) % shape.rank(), length = s.dice.between(2, 4);
    shape[static_cast<int>(other)] = std::max<int64_t>(1, shape[static_cast<int>(other)] * shape[axis] / length);
    shape[axis] = length;
  }
  const std::vector<int64_t> axes = some_axes(s.dice, shape.rank());
  s.parameter("axes", axes);
  reduce(s, shape, axes, verb, dtype);
}

void draw_argreduce(Sketch& s) {
  const bool largest = s.dice.one_in(2);
  const DType dtype = s.dice.of({DType::f32, DType::f32, DType::f32, DType::i32});
  const Shape shape = s.shape(s.room(4), 1, 4);
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  s.operand(shape, Fill::normal, dtype);
  s.parameter("axis", {axis});
  s.result(without(shape, {axis}), DType::i32);
  s.verb(largest ? "argmax" : "argmin",
         [=](const Tensors& x) { return Tensors{largest ? argmax(x[0], axis) : argmin(x[0], axis)}; });
}

void draw_scan(Sketch& s) {
  const Scan& verb = s.dice.of(scan_verbs);
  const bool differs = std::string_view(verb.name) == "diff";
  Shape shape = s.shape(s.room(8), 1, 4);
  const auto axis = static_cast<int>(s.dice.below(shape.rank()));
  if (differs) shape[axis] = std::max<int64_t>(2, shape[axis]);
  Shape result = shape;
  if (differs) result[axis] -= 1;
  s.operand(shape, verb.fill);
  s.parameter("axis", {axis});
  s.result(result);
  s.verb(verb.name, [of = verb.of, axis](const Tensors& x) { return Tensors{of(x[0], axis)}; });
  s.within(2e-5, 1e-5);
}

}  // namespace eglantine::perf::drawn
