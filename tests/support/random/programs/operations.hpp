#pragma once

#include "support/random/random_data.hpp"
#include "support/random/random_programs.hpp"

/// The operations that random programs draw from, each with what it makes of its arguments' errors.
namespace eglantine::test {

/// How many operations each family has.
constexpr int64_t operations = 11;

/// Of f32.
constexpr double f32_eps = 0x1p-23;

Value float_operation(int64_t which, const Value& a, const Value& b);
Value float_sum(const Value& x, int64_t axis);

/// Exact.
Value integer_operation(int64_t which, const Value& a, const Value& b);
Value integer_sum(const Value& x, int64_t axis);
/// Of any integers of rank 3, which may differ: shapes as of the products of floats below. Results are i32.
Value integer_product(const Value& x, const Value& w);
Value integer_convolution(const Value& x, const Value& w);
/// To any dtype of integers; 1 where a is less than b, of a's dtype.
Value integer_cast(const Value& x, DType dtype);
Value whether_less(const Value& a, const Value& b);

/// Exact.
Value boolean_operation(int64_t which, const Value& a, const Value& b);
Value whether_any(const Value& x, int64_t axis);

/// Of floats of any dtypes, of rank 3: x w; the convolution along the last axis with w of kernel 3; tanh of an eighth
/// of the products of x's rows.
Value product_with(const Value& x, const Value& w);
Value convolution_with(const Value& x, const Value& w);
Value products_of_rows(const Value& x);
/// Along the last axis. The norm is written out, or the verb.
Value softmax_of(const Value& x);
Value normalised(const Value& x, bool written_out);
Value attention_of(const Value& q, const Value& k, const Value& v, bool causal);
/// To another dtype of floats.
Value converted(const Value& x, DType dtype);

/// The value with the error that rounding to the tensor's dtype adds.
Value rounded(const Tensor& tensor, Array value, const Array& error);

Array zero_error(const Array& x);
/// In a view of the structure's: each is another program.
Value drawn_leaf(DType dtype, const Dims& shape, Random& plan, Random& draw);
/// A movement of any value of rank 3.
Value moved(const Value& x, int64_t which);

}  // namespace eglantine::test
