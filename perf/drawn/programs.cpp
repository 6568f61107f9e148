#include <algorithm>

#include "perf/drawn/families.hpp"

/// Stencils and masks as users write them.
namespace eglantine::perf::drawn {

namespace {

/// x without `before` elements at the start and `after` at the end of an axis.
Tensor inner(const Tensor& x, int axis, int64_t before, int64_t after) {
  return x.slice(axis, before, x.shape()[axis] - after);
}

/// The neighbours of the elements inside a grid, on both sides along an axis.
Tensor both_sides(const Tensor& x, int axis) {
  Tensor low = inner(x, axis, 0, 2), high = inner(x, axis, 2, 0);
  for (int other = 0; other < x.rank(); ++other) {
    if (other == axis) continue;
    low = inner(low, other, 1, 1);
    high = inner(high, other, 1, 1);
  }
  return low + high;
}

Tensor laplacian(const Tensor& x) {
  Tensor centre = x, sum_of_sides = both_sides(x, 0);
  for (int axis = 0; axis < x.rank(); ++axis) centre = inner(centre, axis, 1, 1);
  for (int axis = 1; axis < x.rank(); ++axis) sum_of_sides = sum_of_sides + both_sides(x, axis);
  return sum_of_sides - static_cast<float>(2 * x.rank()) * centre;
}

Tensor heat_step(const Tensor& x) {
  const Tensor around = roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1);
  return x + 0.1F * (around - 4.0F * x);
}

Tensor life(const Tensor& x) {
  const Tensor alive = gt(x, 0.0F).astype(DType::f32);
  const Tensor rows = alive + roll(alive, 1, 0) + roll(alive, -1, 0);
  const Tensor around = rows + roll(rows, 1, 1) + roll(rows, -1, 1) - alive;
  return where(eq(around, 3.0F), 1.0F, where(eq(around, 2.0F), alive, 0.0F));
}

Tensor blur(const Tensor& x) {
  const Tensor rows = inner(x, 0, 0, 2) + 2.0F * inner(x, 0, 1, 1) + inner(x, 0, 2, 0);
  return (inner(rows, 1, 0, 2) + 2.0F * inner(rows, 1, 1, 1) + inner(rows, 1, 2, 0)) * (1.0F / 16);
}

Tensor slope(const Tensor& x) {
  const Tensor down = inner(inner(x, 0, 2, 0) - inner(x, 0, 0, 2), 1, 1, 1);
  const Tensor across = inner(inner(x, 1, 2, 0) - inner(x, 1, 0, 2), 0, 1, 1);
  return sqrt(down * down + across * across) * 0.5F;
}

Tensor moving_average(const Tensor& x) {
  Tensor total = inner(x, 0, 0, 4);
  for (int64_t i = 1; i < 5; ++i) total = total + inner(x, 0, i, 4 - i);
  return total * 0.2F;
}

struct Stencil {
  const char* name;
  Tensor (*of)(const Tensor&);
  int rank;
  int64_t lost;  ///< of each axis
};

constexpr Stencil stencils[] = {{"laplacian_2d", laplacian, 2, 2},
                                {"laplacian_3d", laplacian, 3, 2},
                                {"heat_step", heat_step, 2, 0},
                                {"life", life, 2, 0},
                                {"blur", blur, 2, 2},
                                {"slope", slope, 2, 2},
                                {"moving_average", moving_average, 1, 4}};

struct MaskVerb {
  const char* name;
  Tensor (*of)(const Tensors&);
  enum Second { none, floats, booleans } second = none;
  enum Result { scalar, same, rows } result = same;
  DType dtype = DType::f32;
};

Tensor without_outliers(const Tensors& t) {
  const Tensor middle = mean(t[0]), far = 2.0F * stddev(t[0]);
  return minimum(maximum(t[0], middle - far), middle + far);
}

constexpr MaskVerb mask_verbs[] = {
    {"count_positive", [](const Tensors& t) { return count_nonzero(gt(t[0], 0.0F)); }, MaskVerb::none, MaskVerb::scalar,
     DType::i32},
    {"larger_or_zero", [](const Tensors& t) { return where(gt(t[0], t[1]), t[0], 0.0F); }, MaskVerb::floats},
    {"masked_mean",
     [](const Tensors& t) { return sum(where(t[1], t[0], 0.0F)) / count_nonzero(t[1]).astype(DType::f32); },
     MaskVerb::booleans, MaskVerb::scalar},
    {"masked_fill", [](const Tensors& t) { return where(t[1], -1e9F, t[0]); }, MaskVerb::booleans},
    {"masked_softmax", [](const Tensors& t) { return softmax(where(t[1], t[0], -1e9F), -1); }, MaskVerb::booleans},
    {"without_outliers", without_outliers},
    {"count_between", [](const Tensors& t) { return count_nonzero(logical_and(gt(t[0], -1.0F), lt(t[0], 1.0F)), -1); },
     MaskVerb::none, MaskVerb::rows, DType::i32},
    {"any_large", [](const Tensors& t) { return any(gt(t[0], 3.0F), -1); }, MaskVerb::none, MaskVerb::rows,
     DType::boolean},
    {"agreement", [](const Tensors& t) { return mean(eq(gt(t[0], 0.0F), gt(t[1], 0.0F)).astype(DType::f32)); },
     MaskVerb::floats, MaskVerb::scalar},
    {"is_close", [](const Tensors& t) { return lt(abs(t[0] - t[1]), 0.5F); }, MaskVerb::floats, MaskVerb::same,
     DType::boolean},
};

}  // namespace

void draw_stencil(Sketch& s) {
  const Stencil& stencil = s.dice.of(stencils);
  Shape shape = s.shape(s.room(8), stencil.rank, stencil.rank);
  for (int64_t& length : shape) length = std::max<int64_t>(6, length);
  s.operand(shape);
  for (int64_t& length : shape) length -= stencil.lost;
  s.result(shape);
  s.verb(stencil.name, [of = stencil.of](const Tensors& t) { return Tensors{of(t[0])}; });
  s.within(1e-5, 1e-5);
}

void draw_masks(Sketch& s) {
  const MaskVerb& verb = s.dice.of(mask_verbs);
  const double width = (verb.second == MaskVerb::floats ? 8 : 5) + (verb.result == MaskVerb::same ? 4 : 0);
  const Shape shape = s.shape(s.room(width), 1, 4);
  s.operand(shape);
  if (verb.second == MaskVerb::floats) s.operand(shape);
  if (verb.second == MaskVerb::booleans) s.mask(shape);
  Shape rest = verb.result == MaskVerb::scalar ? Shape{} : shape;
  if (verb.result == MaskVerb::rows) rest.erase(rest.rank() - 1);
  s.result(rest, verb.dtype);
  s.verb(verb.name, [of = verb.of](const Tensors& t) { return Tensors{of(t)}; });
  s.within(1e-4, 1e-4);
}

}  // namespace eglantine::perf::drawn
