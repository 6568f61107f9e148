#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "grad/cases.hpp"

/// Derivatives of the library, in f32, beside central differences of references in double.
namespace eglantine::test {

/// A function, and the same by naive loops in double.
struct Referenced {
  std::function<Tensor(const Tensors&)> f;
  std::function<Array(const Arrays&)> reference;
};

/// What f32 leaves of derivatives of sums of some dozens of products, relative to the largest; of derivatives of these.
inline constexpr double of_slopes = 2e-5, of_curvatures = 1e-4;

/// Of a number that follows from x, its slope by each element of x: central differences over h and h / 2, extrapolated.
/// NaN where the number is not smooth.
std::vector<Array> slopes_of(const std::function<double(const Arrays&)>& number, const Arrays& x, double h);

/// Whether the reference has a slope by each element, and theirs in a drawn direction; where elements tie, it may not.
bool is_smooth(const Referenced& of, const std::vector<Sample>& x);

/// Nothing where the reference has a kink.
using Comparison = std::optional<::testing::AssertionResult>;

/// Whether f's value, and the derivative of a sum of its elements, weighted by drawn numbers, by each element of each
/// argument, are the reference's: within `relative` of the largest of the argument.
Comparison compared_slopes(const Referenced& of, const std::vector<Sample>& x, double relative);

/// The same of the derivative, of that derivative in a drawn direction.
Comparison compared_curvatures(const Referenced& of, const std::vector<Sample>& x, double relative);

/// The same where the reference has no kink: one is a failure.
::testing::AssertionResult has_slopes_of_reference(const Referenced& of, const std::vector<Sample>& x, double relative);
::testing::AssertionResult has_curvatures_of_reference(const Referenced& of, const std::vector<Sample>& x,
                                                       double relative);

}  // namespace eglantine::test
