#pragma once

#include <gtest/gtest.h>

#include "support/array.hpp"

namespace eglantine::test {

/// How far an f32 result may lie from the reference; it is enough that one of the bounds holds. All zero asks for the
/// correctly rounded value. Whatever the bounds: any NaN equals any NaN, zeros have a sign only where `signed_zeros`
/// says, and a denormal may be flushed to zero.
struct Tolerance {
  double ulp = 0;       ///< floats between the result and the correctly rounded reference
  double relative = 0;  ///< of the reference
  double absolute = 0;
  bool signed_zeros = false;
};

inline constexpr Tolerance exact{};
inline constexpr Tolerance bitwise{0, 0, 0, true};

bool close(double actual, double expected, const Tolerance& tolerance);

/// Whether a tensor has the reference's dtype, shape and elements; says how many differ, and shows the first.
::testing::AssertionResult matches(const Tensor& actual, const Array& expected, const Tolerance& tolerance = exact);
::testing::AssertionResult matches(const Array& actual, const Array& expected, const Tolerance& tolerance = exact);

/// The same with an absolute bound for each element.
::testing::AssertionResult within(const Tensor& actual, const Array& expected, const Array& bounds);

/// Whether two f32 tensors have the same bits (any NaN equals any NaN).
::testing::AssertionResult same_bits(const Tensor& a, const Tensor& b);

/// The expression throws `type` with exactly `message`.
#define EXPECT_ERROR(expression, type, message)                                           \
  try {                                                                                   \
    (void)(expression);                                                                   \
    ADD_FAILURE() << #expression " throws nothing; expected: " << (message);              \
  } catch (const type& error) {                                                           \
    EXPECT_STREQ(error.what(), std::string(message).c_str());                             \
  } catch (const std::exception& error) {                                                 \
    ADD_FAILURE() << #expression " throws another type than " #type ": " << error.what(); \
  }

}  // namespace eglantine::test
