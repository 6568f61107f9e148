#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// What rows of the operation table promise beyond an error in ULP.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Elementwise, Vocabulary);

Array with_signs(Array x) {
  for (size_t i = 0; i < x.values.size(); i += 2) x.values[i] = -x.values[i];
  return x;
}

/// In [-100, 100], so that quotients are below 2^24 where divisors are not tiny.
EG_TEST(Vocabulary, floor_divide_goes_with_remainder) {
  const Array a = with_signs(random_reals({4099}, 0.5, 100, 1)), b = random_reals({4099}, -4, 4, 2);
  const Array q = download(floor_divide(upload(a), upload(b))), r = download(remainder(upload(a), upload(b)));
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double x = a.values[i], y = b.values[i], whole = q.values[i];
    ASSERT_EQ(whole, std::floor(whole)) << x << " // " << y;
    ASSERT_EQ(whole, static_cast<double>(static_cast<float>(std::floor(x / y)))) << x << " // " << y;
    ASSERT_EQ(static_cast<float>(x - whole * y), static_cast<float>(r.values[i])) << x << " % " << y;
  }
}

/// Products of whole numbers and the floats beside them, where a rounded quotient is a whole number too large.
EG_TEST(Vocabulary, floor_divide_beside_whole_quotients) {
  Array a{DType::f32, {3000}, {}}, b = a;
  for (int i = 0; i < 1000; ++i) {
    const float y = 0.1F * static_cast<float>(i % 37 + 1), x = y * static_cast<float>(i * i + 1);
    for (float beside : {std::nextafter(x, 0.0F), x, std::nextafter(x, 1e30F)}) {
      a.values.push_back(i % 2 == 0 ? beside : -beside);
      b.values.push_back(y);
    }
  }
  const auto floored = [](double x, double y) { return std::floor(x / y); };
  EXPECT_TRUE(matches(floor_divide(upload(a), upload(b)), naive::map(a, b, DType::f32, floored)));
}

/// Exact at any quotient: pow(2, n) modulo small numbers, by exponents.
EG_TEST(Vocabulary, remainders_of_huge_quotients) {
  for (float modulus : {3.0F, 7.0F, 10.0F, 8388607.0F}) {
    std::vector<float> powers, expected;
    for (int n = 0; n < 128; ++n) {
      powers.push_back(std::ldexp(1.0F, n));
      uint64_t left = 1;
      for (int i = 0; i < n; ++i) left = left * 2 % static_cast<uint64_t>(modulus);
      expected.push_back(static_cast<float>(left));
    }
    EXPECT_EQ(fmod(Tensor::from(powers, {128}), modulus).to_vector<float>(), expected);
    EXPECT_EQ(remainder(Tensor::from(powers, {128}), modulus).to_vector<float>(), expected);
  }
}

/// Exact beside whole quotients and halves of them, small and large ones, of divisors of any size: the remainder is
/// that of the numbers in double.
EG_TEST(Vocabulary, remainders_beside_whole_and_half_quotients) {
  std::vector<float> x, y, left, floored;
  for (int exponent = -124; exponent < 126; ++exponent)
    for (const double quotient : {0.5, 1.0, 1.5, 2.0, 1023.5, 65535.0, 131071.5, 131072.0, 131073.0, 300000.5}) {
      const float by = std::ldexp(1.0F + 0.0078F * static_cast<float>(exponent & 127), exponent);
      const auto near = static_cast<float>(quotient * by);
      for (const float of : {std::nextafter(near, 0.0F), near, std::nextafter(near, 2 * near)}) {
        const float rest = std::fmod(of, by);
        const float below = static_cast<float>(static_cast<double>(by) - rest);
        const auto is_denormal = [](float value) { return value != 0 && value < 0x1p-126F; };
        if (!std::isfinite(2 * near) || is_denormal(rest) || is_denormal(below) || is_denormal(of)) continue;
        x.push_back(x.size() % 2 == 0 ? of : -of);
        y.push_back(by);
        left.push_back(std::copysign(rest, x.back()));
        floored.push_back(rest == 0 || x.back() > 0 ? rest : below);
      }
    }
  const Shape shape{static_cast<int64_t>(x.size())};
  EXPECT_EQ(fmod(Tensor::from(x, shape), Tensor::from(y, shape)).to_vector<float>(), left);
  EXPECT_EQ(remainder(Tensor::from(x, shape), Tensor::from(y, shape)).to_vector<float>(), floored);
}

/// Multiples of pi / 2 rounded to float, as large as there are: the reduced arguments are small.
EG_TEST(Vocabulary, sines_of_any_number) {
  Array x{DType::f32, {600}, {}};
  for (int i = 0; i < 300; ++i)
    for (int sign : {1, -1})
      x.values.push_back(as_element(DType::f32, sign * std::exp2(i * 0.4 + 8) * 1.5707963267948966));
  const auto check = [&](Tensor (*verb)(const Tensor&), double (*f)(double)) {
    EXPECT_TRUE(matches(verb(upload(x)), naive::map(x, DType::f32, f), {8, 0, 1e-6}));
  };
  check(sin, std::sin);
  check(cos, std::cos);
  check(tan, std::tan);
}

EG_TEST(Vocabulary, lerp_is_exact_at_its_ends) {
  const Array a = random_reals({1025}, -1e30, 1e30, 1), b = random_reals({1025}, -3, 3, 2);
  for (const auto& [x, y] : {std::pair{a, b}, {b, a}, {a, a}}) {
    EXPECT_TRUE(matches(lerp(upload(x), upload(y), 0), x));
    EXPECT_TRUE(matches(lerp(upload(x), upload(y), 1), y));
  }
  const Tensor far = Tensor::from({3e38F, -3e38F}, {2});
  EXPECT_EQ(lerp(far, -far, 0).to_vector<float>(), (std::vector<float>{3e38F, -3e38F}));
  EXPECT_EQ(lerp(far, -far, 1).to_vector<float>(), (std::vector<float>{-3e38F, 3e38F}));
  EXPECT_EQ(lerp(far, -far, 0.5).to_vector<float>(), (std::vector<float>{0, 0}));
}

EG_TEST(Vocabulary, lerp_is_as_accurate_as_its_operands) {
  const Array a = random_reals({5, 205}, -10, 10, 1), b = random_reals({5, 205}, -10, 10, 2),
              w = random_reals({5, 205}, -2, 3, 3);
  Array expected = a, bounds = a;
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double x = a.values[i], y = b.values[i], t = w.values[i];
    expected.values[i] = x + t * (y - x);
    bounds.values[i] = 4 * 0x1p-23 * std::max(1.0, std::fabs(t)) * std::max(std::fabs(x), std::fabs(y));
  }
  EXPECT_TRUE(within(lerp(upload(a), upload(b), upload(w)), expected, bounds));
}

EG_TEST(Vocabulary, lerp_takes_numbers_and_mixed_types) {
  const Tensor weight = Tensor::from({0.25F, 0.75F}, {2}), whole = Tensor::from({4, 8}, {2});
  EXPECT_EQ(lerp(0, 4, weight).to_vector<float>(), (std::vector<float>{1, 3}));
  EXPECT_EQ(lerp(whole, 0.0, 0.5).to_vector<float>(), (std::vector<float>{2, 4}));
  EXPECT_EQ(lerp(whole.reshape({2, 1}), 0, weight).to_vector<float>(), (std::vector<float>{3, 1, 6, 2}));
}

EG_TEST(Vocabulary, signs_by_the_bits) {
  const Tensor x = Tensor::from({-0.0F, 0.0F, -NAN, NAN, -INFINITY, -1e-45F}, {6});
  EXPECT_EQ(signbit(x).to_vector<bool>(), (std::vector<bool>{true, false, true, false, true, true}));
  EXPECT_EQ(signbit(copysign(2, x)).to_vector<bool>(), signbit(x).to_vector<bool>());
  EXPECT_EQ(signbit(Tensor::from({-1, 0, 5}, {3})).to_vector<bool>(), (std::vector<bool>{true, false, false}));
}

EG_TEST(Vocabulary, fmax_and_fmin_of_booleans_are_logical) {
  const Tensor x = Tensor::from({true, true, false, false}, {4}), y = Tensor::from({true, false, true, false}, {4});
  EXPECT_TRUE(array_equal(fmax(x, y), logical_or(x, y)));
  EXPECT_TRUE(array_equal(fmin(x, y), logical_and(x, y)));
}

EG_TEST(Vocabulary, real_functions_of_two_integers) {
  const Tensor a = Tensor::from({3, -5, 0}, {3}), b = Tensor::from({4, 12, 1}, {3});
  EXPECT_EQ(hypot(a, b).to_vector<float>(), (std::vector<float>{5, 13, 1}));
  EXPECT_EQ(copysign(b, a).to_vector<float>(), (std::vector<float>{4, -12, 1}));
  EXPECT_EQ(xlogy(a, Tensor::from({1, 1, 0}, {3})).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace eglantine::test
