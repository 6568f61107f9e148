#include "support/random/random_programs.hpp"

#include <algorithm>
#include <cmath>

#include "eglantine/ops.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

constexpr double eps = 0x1p-23;

Array zero_error(const Array& x) {
  return naive::map(x, DType::f32, [](double) { return 0; });
}

Value leaf(DType dtype, const Dims& shape, Random& draw) {
  const size_t view = static_cast<size_t>(draw.integer(0, static_cast<int64_t>(every_view().size()) - 1));
  const Sample sample = every_view()[view].hold(random_array(dtype, shape, draw.word()));
  return {sample.tensor, sample.array, zero_error(sample.array)};
}

// ---- float operations: each says how it carries errors ----

Value add_values(const Value& a, const Value& b, double sign) {
  const Array value = naive::map(a.array, b.array, DType::f32, [&](double x, double y) { return x + sign * y; });
  const Array carried = naive::map(a.error, b.error, DType::f32, [](double x, double y) { return x + y; });
  return {sign > 0 ? a.tensor + b.tensor : a.tensor - b.tensor, value,
          naive::map(value, carried, DType::f32, [](double v, double e) { return e + eps * (std::abs(v) + e); })};
}

Value multiply_values(const Value& a, const Value& b) {
  const Array value = naive::map(a.array, b.array, DType::f32, [](double x, double y) { return x * y; });
  const Array left = naive::map(a.array, b.error, DType::f32, [](double x, double e) { return std::abs(x) * e; });
  const Array right = naive::map(a.error, b.array, DType::f32, [](double e, double y) { return e * std::abs(y); });
  const Array both = naive::map(a.error, b.error, DType::f32, [](double d, double e) { return d * e; });
  const Array carried =
      naive::map(left, right, both, DType::f32, [](double p, double q, double r) { return p + q + r; });
  return {a.tensor * b.tensor, value,
          naive::map(value, carried, DType::f32, [](double v, double e) { return e + eps * (std::abs(v) + e); })};
}

Value larger_of(const Value& a, const Value& b) {
  return {maximum(a.tensor, b.tensor),
          naive::map(a.array, b.array, DType::f32, [](double x, double y) { return std::max(x, y); }),
          naive::map(a.error, b.error, DType::f32, [](double d, double e) { return std::max(d, e); })};
}

/// Functions whose slope is at most one.
Value tanh_of(const Value& x) {
  return {tanh(x.tensor), naive::map(x.array, DType::f32, [](double v) { return std::tanh(v); }),
          naive::map(x.error, DType::f32, [](double e) { return e + 8 * eps; })};
}

Value absolute_of(const Value& x) {
  return {abs(x.tensor), naive::map(x.array, DType::f32, [](double v) { return std::abs(v); }), x.error};
}

Value negative_of(const Value& x) {
  return {-x.tensor, naive::map(x.array, DType::f32, [](double v) { return -v; }), x.error};
}

Value sum_of(const Value& x, int64_t axis) {
  const Array absolutes = naive::sum_of_absolutes(x.array, {axis}, true);
  const Array errors = naive::sum(x.error, {axis}, true);
  return {sum(x.tensor, {axis}, true), naive::sum(x.array, {axis}, true),
          naive::map(absolutes, errors, DType::f32, [](double s, double e) { return e + 140 * eps * (s + e); })};
}

Value float_operation(int64_t which, const Value& a, const Value& b) {
  switch (which) {
    case 0:
      return add_values(a, b, 1);
    case 1:
      return add_values(a, b, -1);
    case 2:
      return multiply_values(a, b);
    case 3:
      return larger_of(a, b);
    case 4:
      return add_values(tanh_of(a), absolute_of(b), 1);
    default:
      return multiply_values(negative_of(a), tanh_of(b));
  }
}

// ---- integer operations: exact ----

using IntegerFunction = int32_t (*)(int32_t, int32_t);

Value integer_value(const Value& a, const Value& b, const Tensor& tensor, IntegerFunction f) {
  const Array value = naive::map(a.array, b.array, DType::i32, [&](double x, double y) {
    return static_cast<double>(f(static_cast<int32_t>(x), static_cast<int32_t>(y)));
  });
  return {tensor, value, zero_error(value)};
}

int32_t wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

Value integer_operation(int64_t which, const Value& a, const Value& b) {
  const Tensor& x = a.tensor;
  const Tensor& y = b.tensor;
  switch (which) {
    case 0:
      return integer_value(a, b, x + y, [](int32_t p, int32_t q) { return wrap(int64_t{p} + q); });
    case 1:
      return integer_value(a, b, x - y, [](int32_t p, int32_t q) { return wrap(int64_t{p} - q); });
    case 2:
      return integer_value(a, b, x * y, [](int32_t p, int32_t q) { return wrap(int64_t{p} * q); });
    case 3:
      return integer_value(a, b, minimum(x, y), [](int32_t p, int32_t q) { return std::min(p, q); });
    case 4:
      return integer_value(a, b, bit_xor(x, -y), [](int32_t p, int32_t q) { return p ^ wrap(-int64_t{q}); });
    default:
      return integer_value(a, b, where(lt(x, y), x, bit_and(y, 1023)),
                           [](int32_t p, int32_t q) { return p < q ? p : q & 1023; });
  }
}

Value integer_sum(const Value& x, int64_t axis) {
  const Array value = naive::sum(x.array, {axis}, true);
  return {sum(x.tensor, {axis}, true), value, zero_error(value)};
}

// ---- booleans: exact ----

using Truth = bool (*)(bool, bool);

Value truth_value(const Value& a, const Value& b, const Tensor& tensor, Truth f) {
  const Array value =
      naive::map(a.array, b.array, DType::boolean, [&](double x, double y) { return f(x != 0, y != 0) ? 1.0 : 0.0; });
  return {tensor, value, zero_error(value)};
}

/// Two of them compute an operand first, so that it is read from memory at any offset within a vec4.
Value boolean_operation(int64_t which, const Value& a, const Value& b) {
  const Tensor& x = a.tensor;
  const Tensor& y = b.tensor;
  switch (which) {
    case 0:
      return truth_value(a, b, logical_and(x, y), [](bool p, bool q) { return p && q; });
    case 1:
      return truth_value(a, b, logical_or(logical_not(x), y), [](bool p, bool q) { return !p || q; });
    case 2:
      return truth_value(a, b, where(y, x, logical_not(x)), [](bool p, bool q) { return p == q; });
    case 3:
      return truth_value(a, b, lt(x, y), [](bool p, bool q) { return p < q; });
    case 4:
      return truth_value(a, b, logical_xor(x.eval(), y), [](bool p, bool q) { return p != q; });
    default:
      return truth_value(a, b, logical_or(logical_not(x).eval(), logical_not(y).eval()),
                         [](bool p, bool q) { return !p || !q; });
  }
}

Value whether_any(const Value& x, int64_t axis) {
  const Array value = naive::max(x.array, {axis}, true);
  return {any(x.tensor, {axis}, true), value, zero_error(value)};
}

// ---- drawing ----

struct Family {
  DType dtype;
  Value (*operation)(int64_t, const Value&, const Value&);
  Value (*total)(const Value&, int64_t);
};

/// A movement of any value of rank 3.
Value moved(const Value& x, int64_t which) {
  switch (which) {
    case 0:
      return {x.tensor.permute({2, 0, 1}), naive::permute(x.array, {2, 0, 1}), naive::permute(x.error, {2, 0, 1})};
    case 1:
      return {x.tensor.flip({1}), naive::flip(x.array, {1}), naive::flip(x.error, {1})};
    case 2:
      return {x.tensor.slice(0, 0, {}, 2), naive::slice(x.array, 0, 0, {}, 2), naive::slice(x.error, 0, 0, {}, 2)};
    default:
      return x;
  }
}

/// Applies steps drawn by `structure` to leaves drawn by `draw`: one structure always applies the same verbs.
Value expression(const Family& family, uint64_t structure, uint64_t draw_seed) {
  Random plan(structure);
  Random draw(draw_seed);
  Dims shape;
  for (int axis = 0; axis < 3; ++axis)
    shape.push_back(std::vector<int64_t>{1, 2, 5, 13, 33}[static_cast<size_t>(draw.integer(0, 4))]);
  Dims thin = shape;
  thin[static_cast<size_t>(draw.integer(0, 2))] = 1;
  Value result = leaf(family.dtype, shape, draw);
  for (int64_t steps = plan.integer(3, 6); steps > 0; --steps)
    result =
        family.operation(plan.integer(0, 5), result, leaf(family.dtype, plan.integer(0, 1) == 0 ? shape : thin, draw));
  result = moved(result, plan.integer(0, 3));
  if (plan.integer(0, 2) != 0) {
    const Value total = family.total(result, plan.integer(0, 2));
    result = plan.integer(0, 1) == 0 ? total : family.operation(plan.integer(0, 5), result, total);
  }
  return moved(result, plan.integer(0, 3));
}

}  // namespace

Value random_float_program(uint64_t structure, uint64_t draw) {
  return expression({DType::f32, float_operation, sum_of}, structure, draw);
}

Value random_integer_program(uint64_t structure, uint64_t draw) {
  return expression({DType::i32, integer_operation, integer_sum}, structure, draw);
}

Value random_boolean_program(uint64_t structure, uint64_t draw) {
  return expression({DType::boolean, boolean_operation, whether_any}, structure, draw);
}

}  // namespace eglantine::test
