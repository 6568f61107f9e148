#include <algorithm>

#include "eglantine/ops.hpp"
#include "support/random/programs/operations.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_convolution.hpp"

namespace eglantine::test {
namespace {

using IntegerFunction = int32_t (*)(int32_t, int32_t);

Value integer_value(const Value& a, const Value& b, const Tensor& tensor, IntegerFunction f) {
  const DType dtype = a.array.dtype == b.array.dtype ? a.array.dtype : DType::i32;  // sums of i8 are i32
  const Array value = naive::map(a.array, b.array, dtype, [&](double x, double y) {
    return as_element(dtype, f(static_cast<int32_t>(x), static_cast<int32_t>(y)));
  });
  return {tensor, value, zero_error(value)};
}

/// Wrapped into its own dtype, before it meets another.
Value mapped(const Value& x, double (*f)(double)) {
  const DType dtype = x.array.dtype;
  return {x.tensor, naive::map(x.array, dtype, [&](double value) { return as_element(dtype, f(value)); }), x.error};
}

/// Toward minus infinity; 0 by zero.
int64_t floored(int64_t p, int64_t q) { return q == 0 ? 0 : p / q - (p % q != 0 && (p < 0) != (q < 0) ? 1 : 0); }

int32_t wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }

using Truth = bool (*)(bool, bool);

Value truth_value(const Value& a, const Value& b, const Tensor& tensor, Truth f) {
  const Array value =
      naive::map(a.array, b.array, DType::boolean, [&](double x, double y) { return f(x != 0, y != 0) ? 1.0 : 0.0; });
  return {tensor, value, zero_error(value)};
}

}  // namespace

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
      return integer_value(a, mapped(b, [](double q) { return -q; }), bit_xor(x, -y),
                           [](int32_t p, int32_t q) { return p ^ q; });
    case 5:
      return integer_value(a, b, floor_divide(x, y), [](int32_t p, int32_t q) { return wrap(floored(p, q)); });
    case 6:
      return integer_value(a, b, fmod(x, y),
                           [](int32_t p, int32_t q) { return q == 0 ? 0 : wrap(int64_t{p} % int64_t{q}); });
    case 7:
      return integer_value(a, b, remainder(x, y),
                           [](int32_t p, int32_t q) { return q == 0 ? 0 : wrap(p - floored(p, q) * q); });
    case 8:
      return integer_value(mapped(a, [](double p) { return -p - 1; }), b, bit_or(bit_not(x), y),
                           [](int32_t p, int32_t q) { return p | q; });
    case 9:
      if (x.dtype() == DType::u8)
        return integer_value(a, b, clip(x, 7, y), [](int32_t p, int32_t q) { return std::min(std::max(p, 7), q); });
      return integer_value(a, b, clip(x, -7, y), [](int32_t p, int32_t q) { return std::min(std::max(p, -7), q); });
    default:
      return integer_value(a, b, where(lt(x, y), x, bit_and(y, 63)),
                           [](int32_t p, int32_t q) { return p < q ? p : q & 63; });
  }
}

Value integer_sum(const Value& x, int64_t axis) {
  const Array value = naive::sum(x.array, {axis}, true);
  return {sum(x.tensor, {axis}, true), value, zero_error(value)};
}

namespace {

/// Sums of products of bytes are i32, also of mixed ones.
Array as_i32(Array x) {
  x.dtype = DType::i32;
  return x;
}

Value exact(const Tensor& tensor, const Array& value) { return {tensor, value, zero_error(value)}; }

}  // namespace

Value integer_product(const Value& x, const Value& w) {
  return exact(matmul(x.tensor, w.tensor), naive::matmul(as_i32(x.array), as_i32(w.array)));
}

Value integer_convolution(const Value& x, const Value& w) {
  return exact(conv(x.tensor, w.tensor, {.padding = 1}),
               naive::conv(as_i32(x.array), as_i32(w.array), {{1}, {1}, {{1, 1}}}));
}

Value integer_cast(const Value& x, DType dtype) { return exact(x.tensor.astype(dtype), naive::cast(x.array, dtype)); }

Value whether_less(const Value& a, const Value& b) {
  const DType dtype = a.array.dtype;
  return exact(lt(a.tensor, b.tensor).astype(dtype),
               naive::map(a.array, b.array, dtype, [](double x, double y) { return x < y ? 1.0 : 0.0; }));
}

/// Some compute an operand first, so that it is read from memory at any offset within a vec4.
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
    case 5:
      return truth_value(a, b, eq(x, y), [](bool p, bool q) { return p == q; });
    case 6:
      return truth_value(a, b, ne(x, y.eval()), [](bool p, bool q) { return p != q; });
    case 7:
      return truth_value(a, b, ge(x, y), [](bool p, bool q) { return p >= q; });
    case 8:
      return truth_value(a, b, where(x, le(x, y), y), [](bool, bool q) { return q; });
    case 9:
      return truth_value(a, b, logical_or(isnan(x + 0.5F).eval(), y), [](bool, bool q) { return q; });
    default:
      return truth_value(a, b, logical_or(logical_not(x).eval(), logical_not(y).eval()),
                         [](bool p, bool q) { return !p || !q; });
  }
}

Value whether_any(const Value& x, int64_t axis) {
  const Array value = naive::max(x.array, {axis}, true);
  return {any(x.tensor, {axis}, true), value, zero_error(value)};
}

}  // namespace eglantine::test
