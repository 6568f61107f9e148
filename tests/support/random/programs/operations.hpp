#pragma once

#include "support/random/random_programs.hpp"

/// The operations that random programs draw from, each with what it makes of its arguments' errors.
namespace eglantine::test {

/// How many operations each family has.
constexpr int64_t operations = 11;

Value float_operation(int64_t which, const Value& a, const Value& b);
Value float_sum(const Value& x, int64_t axis);

/// Exact.
Value integer_operation(int64_t which, const Value& a, const Value& b);
Value integer_sum(const Value& x, int64_t axis);

/// Exact.
Value boolean_operation(int64_t which, const Value& a, const Value& b);
Value whether_any(const Value& x, int64_t axis);

Array zero_error(const Array& x);

}  // namespace eglantine::test
