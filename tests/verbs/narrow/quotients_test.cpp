#include <cmath>
#include <vector>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "support/stored_elements.hpp"

/// Quotients and reciprocals of f16 and bf16, which take fewer steps than those of f32, have the bits of those,
/// rounded.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Narrow, NarrowQuotients);

Tensor wide(const Tensor& x) { return x.astype(DType::f32); }

template <class T>
Tensor column_of(const std::vector<T>& x) {
  return Tensor::from(x, {static_cast<int64_t>(x.size()), 1});
}

void check_quotients(const Tensor& x, const Tensor& y) {
  EXPECT_TRUE(same_bits(x / y, (wide(x) / wide(y)).astype(x.dtype())));
}

/// Zeros, infinities, NaN, denormal numbers and the largest; the others at random.
template <class T>
std::vector<T> drawn_divisors() {
  std::vector<T> divisors;
  for (const float x : {0.0F, 1.0F, 3.0F, 41.0F, INFINITY, NAN, 0x1p-24F, 0x1p-14F, 0x1p-126F, 0x1p-133F, 0x1p127F})
    for (const float y : {x, -x}) divisors.push_back(T(y));
  Random random(draw_seed());
  while (divisors.size() < 48) divisors.push_back(T::from_bits(static_cast<uint16_t>(random.word())));
  return divisors;
}

template <class T>
void check_all_numbers() {
  const Tensor x = column_of(all_of_16_bits<T>());
  check_quotients(x, column_of(drawn_divisors<T>()).transpose(0, 1));
  EXPECT_TRUE(same_bits(reciprocal(x), reciprocal(wide(x)).astype(x.dtype())));
}

/// All numbers of an exponent.
template <class T>
std::vector<T> significands(int exponent, int bits) {
  std::vector<T> numbers;
  for (int i = 0; i < 1 << bits; ++i)
    numbers.push_back(T(std::ldexp(1 + std::ldexp(static_cast<float>(i), -bits), exponent)));
  return numbers;
}

EG_TEST(NarrowQuotients, of_all_halves) { check_all_numbers<half>(); }
EG_TEST(NarrowQuotients, of_all_bfloat16s) { check_all_numbers<bfloat16>(); }

/// Every pair of significands, with results from 2^-11 down to half of the smallest denormal half: how many bits are
/// rounded away, and thus where ties are, depends on the exponent of a denormal result.
EG_TEST(NarrowQuotients, near_all_ties_of_halves) {
  Draw exponents = draw_one_of(4);
  const Tensor x = column_of(significands<half>(-12, 10));
  for (int exponent = 0; exponent <= 13; ++exponent)
    if (exponents.next()) check_quotients(x, column_of(significands<half>(exponent, 10)).transpose(0, 1));
}

/// 2^-126 is the smallest normal bfloat16.
EG_TEST(NarrowQuotients, of_bfloat16s_about_the_smallest_normal) {
  const Tensor y = column_of(significands<bfloat16>(0, 7)).transpose(0, 1);
  for (int exponent = -126; exponent <= -124; ++exponent)
    check_quotients(column_of(significands<bfloat16>(exponent, 7)), y);
}

TEST(NarrowQuotientForms, take_the_steps_of_their_type) {
  Device::set_current(Device::open("gl"));
  const std::pair<DType, std::string> forms[] = {
      {DType::f16, "eg_div_f16("}, {DType::bf16, "eg_div_bf16("}, {DType::f32, "eg_div("}};
  for (const auto& [dtype, form] : forms) {
    const Tensor x = Tensor::from({1.0F, 2.0F}, {2}).astype(dtype).eval(), y = (x + x).eval();
    EXPECT_NE(explain(x / y).find("= " + form + "x0, x1)"), std::string::npos) << explain(x / y);
    EXPECT_NE(explain(reciprocal(x)).find("= " + form + "1.0, x0)"), std::string::npos) << explain(reciprocal(x));
  }
}

}  // namespace
}  // namespace eglantine::test
