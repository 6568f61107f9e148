#include <cmath>
#include <limits>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace eglantine::test {

namespace {

EG_ON_EACH_DEVICE(Elementwise, Powers);

constexpr float infinity = std::numeric_limits<float>::infinity();
const std::vector<float> bases = {0.0F,     -0.0F,   1.0F,   -1.0F,    1.7F,   -2.3F,    1e-6F,
                                  -3e-9F,   2.5e12F, -7e12F, 1e38F,    -3e38F, 1.3e-38F, -infinity,
                                  infinity, 0.3F,    1e20F,  1.2e-19F, 6.5e4F, -5.5e-15F};
const std::vector<double> exponents = {-3, -2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2, 3, 4};

/// Equal, both NaN, or within 8 units in the last place of a type with `digits`; what is denormal may be 0.
bool agrees(float value, double wanted, int digits, double least) {
  if (std::isnan(wanted)) return std::isnan(value);
  const auto narrowed = static_cast<float>(wanted);
  if (std::isinf(narrowed) || std::abs(wanted) < 2 * least)
    return std::isinf(narrowed) ? value == narrowed : std::abs(static_cast<double>(value) - wanted) <= 2 * least;
  if (wanted == 0) return value == 0 && std::signbit(value) == std::signbit(wanted);
  return std::abs(static_cast<double>(value) - wanted) <= 8 * std::ldexp(std::abs(wanted), -digits);
}

EG_TEST(Powers, of_numbers_that_products_and_roots_make_follow_powf) {
  const Tensor x = Tensor::from(bases, {static_cast<int64_t>(bases.size())});
  for (const double exponent : exponents) {
    const std::vector<float> powers = pow(x, exponent).to_vector<float>();
    for (size_t i = 0; i < bases.size(); ++i) {
      const double wanted = std::pow(static_cast<double>(bases[i]), exponent);
      EXPECT_TRUE(agrees(powers[i], wanted, 24, std::numeric_limits<float>::min()))
          << bases[i] << " to the power " << exponent << ": " << powers[i];
      EXPECT_TRUE(wanted != 0 || bases[i] != 0 || std::signbit(powers[i]) == std::signbit(wanted)) << bases[i];
    }
  }
}

EG_TEST(Powers, of_narrow_types_are_rounded_once) {
  const std::vector<float> numbers = {0.0123F, 0.21F, 0.9F, 1.37F, 3.3F, 11.2F, 7e-3F};
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Tensor x = Tensor::from(numbers, {static_cast<int64_t>(numbers.size())}).astype(dtype);
    for (const double exponent : exponents)
      EXPECT_EQ(pow(x, exponent).astype(DType::f32).to_vector<float>(),
                pow(x.astype(DType::f32), exponent).astype(dtype).astype(DType::f32).to_vector<float>())
          << name_of(dtype) << " to the power " << exponent;
  }
}

EG_TEST(Powers, take_no_logarithm) {
  const Tensor x = Tensor::from({1.5F, 2.5F, 3.5F}, {3});
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const double exponent : exponents)
      EXPECT_EQ(explain(pow(x.astype(dtype), exponent)).find("eg_pow("), std::string::npos) << exponent;
  EXPECT_NE(explain(pow(x, 2.5)).find("pow"), std::string::npos);
}

EG_TEST(Powers, of_integers_wrap) {
  const Tensor x = Tensor::from({-3, 2000, 70000, 0}, {4});
  EXPECT_EQ(pow(x, 3).to_vector<int32_t>(), (std::vector<int32_t>{-27, -589934592, -383225856, 0}));
  EXPECT_EQ(pow(x, 1).to_vector<int32_t>(), (std::vector<int32_t>{-3, 2000, 70000, 0}));
  EXPECT_EQ(pow(x, -1).to_vector<int32_t>(), (std::vector<int32_t>{0, 0, 0, 0}));
}

EG_TEST(Powers, have_the_derivative_of_the_power) {
  const std::vector<float> numbers = {0.3F, 1.0F, 2.2F, 0.0F};
  const Tensor x = Tensor::from(numbers, {4});
  for (const double y : exponents) {
    const eglantine::Function f = [=](const Tensors& at) { return Tensors{pow(at[0], y)}; };
    const Tensor slope = vjp(f, Tensors{x}, Tensors{ones({4})}).second[0];
    const std::vector<float> slopes = slope.to_vector<float>();
    for (size_t i = 0; i < 3; ++i) {
      const double wanted = y * std::pow(static_cast<double>(numbers[i]), y - 1);
      EXPECT_NEAR(slopes[i], wanted, 1e-5 * std::abs(wanted)) << y;
    }
    EXPECT_EQ(slopes[3], static_cast<float>(y * std::pow(0.0, y - 1))) << y;
  }
}

}  // namespace
}  // namespace eglantine::test
