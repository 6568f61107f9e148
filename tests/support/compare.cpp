#include "support/compare.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "element_types.hpp"
#include "support/reference/reference_math.hpp"

namespace eglantine::test {
namespace {

using Close = std::function<bool(size_t element)>;

std::string describe(const Array& x, size_t element) {
  std::ostringstream out;
  out << std::setprecision(9) << x.values[element];
  if (x.dtype == DType::f32)
    out << " (0x" << std::hex << std::bit_cast<uint32_t>(static_cast<float>(x.values[element])) << ")";
  return out.str();
}

Dims index_of(const Dims& shape, size_t element) {
  Dims index(shape.size());
  auto rest = static_cast<int64_t>(element);
  for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
  return index;
}

::testing::AssertionResult compare(const Array& actual, const Array& expected, const Close& is_close) {
  if (actual.dtype != expected.dtype)
    return ::testing::AssertionFailure() << "dtype is " << name_of(actual.dtype) << ", expected "
                                         << name_of(expected.dtype);
  if (actual.shape != expected.shape)
    return ::testing::AssertionFailure() << "shape is " << text(actual.shape) << ", expected " << text(expected.shape);
  size_t wrong = 0;
  size_t first = 0;
  for (size_t i = 0; i < expected.values.size(); ++i)
    if (!is_close(i) && wrong++ == 0) first = i;
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " of " << expected.size() << " elements of shape "
                                       << text(expected.shape) << " differ; the first at "
                                       << text(index_of(expected.shape, first)) << ": " << describe(actual, first)
                                       << ", expected " << describe(expected, first);
}

}  // namespace

namespace {

bool close_as_f32(double actual, double expected, const Tolerance& tolerance) {
  const auto rounded = static_cast<float>(expected);
  const auto result = static_cast<float>(actual);
  if (std::isnan(rounded) || std::isnan(result)) return std::isnan(rounded) && std::isnan(result);
  if (tolerance.signed_zeros && result == 0 && rounded == 0) return std::signbit(result) == std::signbit(rounded);
  if (std::abs(rounded) <= FLT_MIN && result == 0) return true;
  if (static_cast<double>(reference::ulp_distance(result, expected)) <= tolerance.ulp) return true;
  if (!std::isfinite(expected) || !std::isfinite(actual)) return false;
  const double error = std::abs(actual - expected);
  return error <= std::max(tolerance.absolute, tolerance.relative * std::abs(expected));
}

/// Rounding keeps the order: what is in the tolerance's interval is rounded into that of its ends.
bool close_as_narrow(DType dtype, double actual, double expected, const Tolerance& tolerance) {
  if (std::isnan(expected) || std::isnan(actual)) return std::isnan(expected) && std::isnan(actual);
  if (tolerance.signed_zeros && actual == 0 && expected == 0) return std::signbit(actual) == std::signbit(expected);
  if (std::abs(expected) <= FLT_MIN && actual == 0) return true;
  const double error = std::max(tolerance.absolute, tolerance.relative * std::abs(expected));
  auto low = static_cast<float>(expected), high = low;
  for (int steps = 0; steps < tolerance.ulp; ++steps) {
    low = std::nextafter(low, -INFINITY);
    high = std::nextafter(high, INFINITY);
  }
  return actual >= as_element(dtype, std::min<double>(low, expected - error)) &&
         actual <= as_element(dtype, std::max<double>(high, expected + error));
}

}  // namespace

bool close(DType dtype, double actual, double expected, const Tolerance& tolerance) {
  if (dtype == DType::f32) return close_as_f32(actual, expected, tolerance);
  if (is_float(dtype)) return close_as_narrow(dtype, actual, expected, tolerance);
  return actual == expected;
}

::testing::AssertionResult matches(const Array& actual, const Array& expected, const Tolerance& tolerance) {
  return compare(actual, expected,
                 [&](size_t i) { return close(expected.dtype, actual.values[i], expected.values[i], tolerance); });
}

::testing::AssertionResult matches(const Tensor& actual, const Array& expected, const Tolerance& tolerance) {
  return matches(download(actual), expected, tolerance);
}

::testing::AssertionResult within(const Tensor& actual, const Array& expected, const Array& bounds) {
  const Array result = download(actual);
  return compare(result, expected, [&](size_t i) {
    if (!is_float(expected.dtype)) return std::abs(result.values[i] - expected.values[i]) <= bounds.values[i];
    return close(expected.dtype, result.values[i], expected.values[i], {0, 0, bounds.values[i], false});
  });
}

::testing::AssertionResult same_bits(const Tensor& a, const Tensor& b) {
  return matches(download(a), download(b), bitwise);
}

}  // namespace eglantine::test
