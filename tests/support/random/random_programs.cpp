#include "support/random/random_programs.hpp"

#include <functional>

#include "support/random/programs/operations.hpp"
#include "support/random/random_data.hpp"

namespace eglantine::test {
namespace {

/// What stands for a leaf that was drawn.
using Leaf = std::function<Value(const Value& drawn)>;

struct Family {
  DType dtype;
  Value (*operation)(int64_t, const Value&, const Value&);
  Value (*total)(const Value&, int64_t);
};

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
