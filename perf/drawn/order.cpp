#include <algorithm>

#include "perf/drawn/families.hpp"

namespace eglantine::perf::drawn {

void draw_sort(Sketch& s) {
  const bool places = s.dice.one_in(3), flat = s.dice.one_in(2), descends = s.dice.one_in(5);
  const DType dtype = s.dice.of({DType::f32, DType::f32, DType::f32, DType::i32});
  const Shape shape = s.shape(s.room(8), flat ? 1 : 2, flat ? 1 : 3);
  const auto axis = static_cast<int>(s.dice.one_in(4) ? s.dice.below(shape.rank()) : shape.rank() - 1);
  s.operand(shape, Fill::normal, dtype);
  s.parameter("axis", {axis});
  s.parameter("descending", {descends});
  s.result(shape, places ? DType::i32 : dtype);
  s.verb(places ? "argsort" : "sort", [=](const Tensors& x) {
    return Tensors{places ? argsort(x[0], axis, descends) : sort(x[0], axis, descends)};
  });
}

void draw_topk(Sketch& s) {
  const Shape shape = s.shape(s.room(4), 1, 3);
  const int64_t length = shape[shape.rank() - 1], k = std::min<int64_t>(s.dice.of({1, 2, 5, 10, 50, 100}), length);
  s.operand(shape);
  s.parameter("k", {k});
  Shape result = shape;
  result[result.rank() - 1] = k;
  s.result(result);
  s.result(result, DType::i32);
  s.verb("topk", [k](const Tensors& x) {
    const auto [values, places] = topk(x[0], k, -1);
    return Tensors{values, places};
  });
}

/// Numbers that no operand gives: peers draw as many of the same distribution, but not the same.
void draw_random(Sketch& s) {
  const int64_t verb = s.dice.below(5);
  const Shape shape = s.shape(s.room(verb == 4 ? 8 : verb == 3 ? 1 : 4), 1, 4);
  constexpr const char* names[] = {"uniform", "normal", "randint", "bernoulli", "dropout"};
  constexpr DType dtypes[] = {DType::f32, DType::f32, DType::i32, DType::boolean, DType::f32};
  if (verb == 4)
    s.operand(shape);
  else
    s.stored({1});  // for the device
  s.parameter("shape", shape.to_vector());
  s.result(shape, dtypes[verb]);
  s.verb(names[verb], [=](const Tensors& x) {
    const Device device = x[0].device();
    constexpr uint64_t seed = 7;
    if (verb == 0) return Tensors{copied(uniform(shape, seed, DType::f32, device))};
    if (verb == 1) return Tensors{copied(normal(shape, seed, DType::f32, device))};
    if (verb == 2) return Tensors{copied(randint(0, 1000, shape, seed, DType::i32, device))};
    if (verb == 3) return Tensors{copied(bernoulli(0.3, shape, seed, device))};
    return Tensors{where(bernoulli(0.9, shape, seed, device), x[0] * (1 / 0.9F), 0.0F)};
  });
  s.within(1e-5, 3e-6);
}

}  // namespace eglantine::perf::drawn
