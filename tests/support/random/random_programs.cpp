#include "support/random/random_programs.hpp"

#include <functional>

#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

/// What stands for a leaf that was drawn.
using Leaf = std::function<Value(const Value& drawn)>;

/// In a view of the structure's: each is another program.
Value drawn_leaf(DType dtype, const Dims& shape, Random& plan, Random& draw) {
  const size_t view = static_cast<size_t>(plan.integer(0, static_cast<int64_t>(every_view().size()) - 1));
  const Sample sample = every_view()[view].hold(random_array(dtype, shape, draw.word()));
  return {sample.tensor, sample.array, zero_error(sample.array)};
}

struct Family {
  DType dtype;
  Value (*operation)(int64_t, const Value&, const Value&);
  Value (*total)(const Value&, int64_t);
};

/// Rows of zeros (false) in front, and the same at the end left out.
Array delayed(const Array& x) {
  const Array padded = naive::pad(x, {{0, 0}, {1, 1}, {0, 0}}, PadMode::constant);
  return naive::crop(padded, {{0, x.shape[0]}, {0, x.shape[1]}, {0, x.shape[2]}});
}
Tensor delayed(const Tensor& x) {
  const Shape shape = x.shape();
  return pad(x, {{0, 0}, {1, 1}, {0, 0}}).crop({{0, shape[0]}, {0, shape[1]}, {0, shape[2]}});
}

/// A movement of any value of rank 3.
Value moved(const Value& x, int64_t which) {
  switch (which) {
    case 0:
      return {x.tensor.permute({2, 0, 1}), naive::permute(x.array, {2, 0, 1}), naive::permute(x.error, {2, 0, 1})};
    case 1:
      return {x.tensor.flip({1}), naive::flip(x.array, {1}), naive::flip(x.error, {1})};
    case 2:
      return {x.tensor.slice(0, 0, {}, 2), naive::slice(x.array, 0, 0, {}, 2), naive::slice(x.error, 0, 0, {}, 2)};
    case 3:
      return {roll(x.tensor, {1, -3}, {0, 2}), naive::roll(x.array, {1, 0, -3}), naive::roll(x.error, {1, 0, -3})};
    case 4:
      return {delayed(x.tensor), delayed(x.array), delayed(x.error)};
    default:
      return x;
  }
}

/// Applies steps drawn by `structure` to leaves drawn by `draw`: one structure always applies the same verbs.
Value expression(const Family& family, uint64_t structure, uint64_t draw_seed, const Leaf& use = {}) {
  Random plan(structure);
  Random draw(draw_seed);
  const auto leaf = [&](const Dims& shape) {
    const Value drawn = drawn_leaf(family.dtype, shape, plan, draw);
    return use ? use(drawn) : drawn;
  };
  // Which axes have length 1 decides which collapse, and thus the program.
  Dims shape;
  for (int axis = 0; axis < 3; ++axis)
    shape.push_back(
        plan.integer(0, 5) == 0 ? 1 : std::vector<int64_t>{2, 5, 13, 33}[static_cast<size_t>(draw.integer(0, 3))]);
  Dims thin = shape;
  thin[static_cast<size_t>(plan.integer(0, 2))] = 1;
  Value result = leaf(shape);
  for (int64_t steps = plan.integer(3, 6); steps > 0; --steps) {
    const int64_t operation = plan.integer(0, operations - 1);
    const Dims& of_leaf = plan.integer(0, 1) == 0 ? shape : thin;
    result = family.operation(operation, result, leaf(of_leaf));
  }
  result = moved(result, plan.integer(0, 5));
  if (plan.integer(0, 2) != 0) {
    const Value total = family.total(result, plan.integer(0, 2));
    result = plan.integer(0, 1) == 0 ? total : family.operation(plan.integer(0, operations - 1), result, total);
  }
  return moved(result, plan.integer(0, 5));
}

}  // namespace

Value random_float_program(uint64_t structure, uint64_t draw) {
  return expression({DType::f32, float_operation, float_sum}, structure, draw);
}

std::vector<Value> leaves_of_float_program(uint64_t structure, uint64_t draw) {
  std::vector<Value> leaves;
  expression({DType::f32, float_operation, float_sum}, structure, draw, [&](const Value& drawn) {
    leaves.push_back(drawn);
    return drawn;
  });
  return leaves;
}

Value float_program_of(const std::vector<Value>& leaves, uint64_t structure, uint64_t draw) {
  size_t next = 0;
  return expression({DType::f32, float_operation, float_sum}, structure, draw,
                    [&](const Value&) { return leaves[next++]; });
}

Value random_f16_program(uint64_t structure, uint64_t draw) {
  return expression({DType::f16, float_operation, float_sum}, structure, draw);
}

Value random_bf16_program(uint64_t structure, uint64_t draw) {
  return expression({DType::bf16, float_operation, float_sum}, structure, draw);
}

Value random_integer_program(uint64_t structure, uint64_t draw) {
  return expression({DType::i32, integer_operation, integer_sum}, structure, draw);
}

Value random_i8_program(uint64_t structure, uint64_t draw) {
  return expression({DType::i8, integer_operation, integer_sum}, structure, draw);
}

Value random_u8_program(uint64_t structure, uint64_t draw) {
  return expression({DType::u8, integer_operation, integer_sum}, structure, draw);
}

Value random_boolean_program(uint64_t structure, uint64_t draw) {
  return expression({DType::boolean, boolean_operation, whether_any}, structure, draw);
}

}  // namespace eglantine::test
