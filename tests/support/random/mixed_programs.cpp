#include <array>
#include <span>

#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/random/random_data.hpp"
#include "support/random/random_programs.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

/// Draws the verbs, and what the leaves of a program are; lengths and elements come from another generator.
struct Drawn {
  Random plan, draw;

  template <class T>
  T planned(std::span<const T> of) {
    return of[static_cast<size_t>(plan.integer(0, static_cast<int64_t>(of.size()) - 1))];
  }
  int64_t length(std::span<const int64_t> of) {
    return plan.integer(0, 5) == 0 ? 1 : of[static_cast<size_t>(draw.integer(0, static_cast<int64_t>(of.size()) - 1))];
  }
  int64_t length() { return length(std::array<int64_t, 5>{2, 5, 13, 33, 64}); }
  Dims shape() { return {length(std::array<int64_t, 3>{1, 2, 3}), length(), length()}; }
};

constexpr std::array floats{DType::f32, DType::f16, DType::bf16};
constexpr std::array integers{DType::i32, DType::i8, DType::u8};

/// By a power of two, so that sums of products stay small.
Value scaled(const Value& x, double factor) {
  const auto times = [&](double v) { return v * factor; };
  return rounded(x.tensor * factor, naive::map(x.array, DType::f32, times), naive::map(x.error, DType::f32, times));
}

/// Below 2; some are read from bytes.
Value leaf_of_floats(Drawn& drawn, const Dims& shape, DType dtype) {
  constexpr std::array stored{DType::i8, DType::u8, DType::boolean};
  if (drawn.plan.integer(0, 2) != 0) return drawn_leaf(dtype, shape, drawn.plan, drawn.draw);
  const Value bytes = drawn_leaf(drawn.planned<DType>(stored), shape, drawn.plan, drawn.draw);
  return scaled(converted(bytes, dtype), bytes.array.dtype == DType::boolean ? 1 : 0x1p-7);
}

Value weights(Drawn& drawn, const Dims& shape) {
  return scaled(leaf_of_floats(drawn, shape, drawn.planned<DType>(floats)), 0.125);
}

Value attention_with_leaves(Drawn& drawn, const Value& q) {
  const Dims& shape = q.array.shape;
  const int64_t columns = drawn.length();
  const DType dtype = q.tensor.dtype();
  const Value k = leaf_of_floats(drawn, {shape[0], columns, shape[2]}, dtype);
  const Value v = leaf_of_floats(drawn, {shape[0], columns, drawn.length()}, dtype);
  return attention_of(q, k, v, drawn.plan.integer(0, 1) == 0);
}

Value step_of_floats(Drawn& drawn, const Value& x) {
  const Dims& shape = x.array.shape;
  switch (drawn.plan.integer(0, 9)) {
    case 0:
      return product_with(x, weights(drawn, {drawn.plan.integer(0, 1) == 0 ? 1 : shape[0], shape[2], drawn.length()}));
    case 1:
      return product_with(x, weights(drawn, {shape[0], shape[2], drawn.length()}));
    case 2:
      return convolution_with(x, weights(drawn, {drawn.length(), shape[1], 3}));
    case 3:
      return products_of_rows(x);
    case 4:
      return softmax_of(x);
    case 5:
      return normalised(x, drawn.plan.integer(0, 1) == 0);
    case 6:
      return attention_with_leaves(drawn, x);
    case 7:
      return converted(x, drawn.planned<DType>(floats));
    case 8:
      return float_operation(1, x, scaled(float_sum(x, 2), 0x1p-6));
    default:
      return float_operation(drawn.plan.integer(0, operations - 1), x,
                             leaf_of_floats(drawn, shape, drawn.planned<DType>(floats)));
  }
}

Value leaf_of_integers(Drawn& drawn, const Dims& shape) {
  if (drawn.plan.integer(0, 3) != 0) return drawn_leaf(drawn.planned<DType>(integers), shape, drawn.plan, drawn.draw);
  return integer_cast(drawn_leaf(DType::boolean, shape, drawn.plan, drawn.draw), drawn.planned<DType>(integers));
}

Value step_of_integers(Drawn& drawn, const Value& x) {
  const Dims& shape = x.array.shape;
  switch (drawn.plan.integer(0, 6)) {
    case 0:
      return integer_product(x, leaf_of_integers(drawn, {shape[0], shape[2], drawn.length()}));
    case 1:
      return integer_product(x, {x.tensor.transpose(1, 2), naive::transpose(x.array, 1, 2), x.error});
    case 2:
      return integer_convolution(x, leaf_of_integers(drawn, {drawn.length(), shape[1], 3}));
    case 3:
      return integer_cast(x, drawn.planned<DType>(integers));
    case 4:
      return integer_operation(drawn.plan.integer(0, operations - 1), x, integer_sum(x, 2));
    case 5:
      return whether_less(x, leaf_of_integers(drawn, shape));
    default:
      return integer_operation(drawn.plan.integer(0, operations - 1), x, leaf_of_integers(drawn, shape));
  }
}

/// Steps, each of which may be moved.
Value program_of(Drawn& drawn, Value x, Value (*step)(Drawn&, const Value&)) {
  for (int64_t steps = drawn.plan.integer(2, 4); steps > 0; --steps) {
    x = step(drawn, x);
    if (drawn.plan.integer(0, 2) == 0) x = moved(x, drawn.plan.integer(0, 5));
  }
  return x;
}

}  // namespace

Value random_mixed_floats_program(uint64_t structure, uint64_t draw) {
  Drawn drawn{Random(structure), Random(draw)};
  const Value first = leaf_of_floats(drawn, drawn.shape(), drawn.planned<DType>(floats));
  return program_of(drawn, first, step_of_floats);
}

Value random_mixed_integers_program(uint64_t structure, uint64_t draw) {
  Drawn drawn{Random(structure), Random(draw)};
  const Value first = leaf_of_integers(drawn, drawn.shape());
  return program_of(drawn, first, step_of_integers);
}

}  // namespace eglantine::test
