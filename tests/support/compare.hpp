#pragma once

#include <gtest/gtest.h>

#include "support/array.hpp"

namespace eglantine::test {

/// The allowed error of an f32 result; meeting one of the bounds suffices. All zero: the correctly rounded value. In
/// any case NaNs are equal, the sign of zero counts only under `signed_zeros`, and denormals may be flushed to zero.
/// A result of f16 or bf16 is one of these values, rounded once.
struct Tolerance {
  double ulp = 0;       ///< floats between the result and the correctly rounded reference
  double relative = 0;  ///< to the reference
  double absolute = 0;
  bool signed_zeros = false;
};

inline constexpr Tolerance exact{};
inline constexpr Tolerance bitwise{0, 0, 0, true};

bool close(DType dtype, double actual, double expected, const Tolerance& tolerance);

/// Whether a tensor has the reference's dtype, shape and elements; reports the number of differences, and the first.
::testing::AssertionResult matches(const Tensor& actual, const Array& expected, const Tolerance& tolerance = exact);
::testing::AssertionResult matches(const Array& actual, const Array& expected, const Tolerance& tolerance = exact);

/// The same with an absolute bound for each element.
::testing::AssertionResult within(const Tensor& actual, const Array& expected, const Array& bounds);

/// Whether two tensors have the same bits (any NaN equals any NaN).
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
