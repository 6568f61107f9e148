#include <cmath>
#include <sstream>

#include "eglantine/ops.hpp"
#include "support/array.hpp"
#include "support/devices.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Printing, Print);

std::string printed(const Tensor& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

EG_TEST(Print, integers_align) {
  EXPECT_EQ(printed(Tensor::from({1, -20, 300}, {3})), "[  1 -20 300]");
  EXPECT_EQ(printed(Tensor::from({1U, 2U, 3U, 4U}, {2, 2})), "[[1 2]\n [3 4]]");
}

EG_TEST(Print, booleans) { EXPECT_EQ(printed(Tensor::from({true, false}, {2})), "[ True False]"); }

EG_TEST(Print, floats) {
  EXPECT_EQ(printed(Tensor::from({1.0F, 2.5F, -3.25F}, {3})), "[ 1.    2.5  -3.25]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 2.0F}, {2})), "[1. 2.]");
  EXPECT_EQ(printed(Tensor::from({0.5F, INFINITY, NAN}, {3})), "[0.5 inf nan]");
}

// Each expected text is printed by NumPy 1.24 for the same array.
EG_TEST(Print, floats_have_their_shortest_digits) {
  EXPECT_EQ(printed(Tensor::from({8.0F / 7, 9.0F / 7, 3.0F}, {3})), "[1.1428572 1.2857143 3.       ]");
  EXPECT_EQ(printed(Tensor::from({0.1F, 0.2F, 1.0F / 3}, {3})), "[0.1        0.2        0.33333334]");
  EXPECT_EQ(printed(Tensor::from({0.00012345678F, 0.0F, 0.0625F}, {3})), "[0.00012346 0.         0.0625    ]");
}

EG_TEST(Print, halves_have_their_own_shortest_digits) {
  const auto halves = [](const std::vector<float>& values) {
    return printed(Tensor::from(values, {static_cast<int64_t>(values.size())}).astype(DType::f16));
  };
  EXPECT_EQ(halves({0.1F, 1.0F / 3, 3}), "[0.1    0.3333 3.    ]");
  EXPECT_EQ(halves({0.1F, 1.0F / 3, 65504}), "[9.998e-02 3.333e-01 6.550e+04]");
  EXPECT_EQ(halves({2516, 9700, 44200, -17920}), "[  2516.   9696.  44192. -17920.]");
  EXPECT_EQ(halves({1e-7F, 1, INFINITY}), "[1.e-07 1.e+00    inf]");
  EXPECT_EQ(printed(full({}, 0.1, DType::f16)), "0.1");
  EXPECT_EQ(printed(full({}, 65504, DType::f16)), "65500.0");
  EXPECT_EQ(printed(full({}, 1e-7, DType::f16)), "1e-07");
}

// As the halves'; NumPy has no bfloat16.
EG_TEST(Print, bfloat16_has_its_own_shortest_digits) {
  EXPECT_EQ(printed(Tensor::from({0.1F, 1.0F / 3, 3.0F}, {3}).astype(DType::bf16)), "[0.1   0.334 3.   ]");
  EXPECT_EQ(printed(full({}, 1e38, DType::bf16)), "1e+38");
}

EG_TEST(Print, bytes_are_integers) {
  EXPECT_EQ(printed(Tensor::from<uint8_t>({0, 7, 255, 10}, {2, 2})), "[[  0   7]\n [255  10]]");
  EXPECT_EQ(printed(Tensor::from<int8_t>({-128, 127, 0, -1}, {4})), "[-128  127    0   -1]");
  EXPECT_EQ(printed(full({}, -5, DType::i8)), "-5");
  EXPECT_EQ(printed(arange(0, 1001, 1, DType::i32).astype(DType::u8)), "[  0   1   2 ... 230 231 232]");
}

EG_TEST(Print, floats_far_apart_have_exponents) {
  EXPECT_EQ(printed(Tensor::from({1e-8F, 1.0F, 1e8F}, {3})), "[1.e-08 1.e+00 1.e+08]");
  EXPECT_EQ(printed(Tensor::from({1e-5F, 0.1F, 123456.0F}, {3})), "[1.00000e-05 1.00000e-01 1.23456e+05]");
  EXPECT_EQ(printed(Tensor::from({1e10F, -INFINITY, 0.5F}, {3})), "[1.e+10   -inf 5.e-01]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 1000.0F}, {2})), "[   1. 1000.]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 1001.0F}, {2})), "[1.000e+00 1.001e+03]");
  // More places than the shortest digits of 9.57501e-07 have: they are the value's own.
  EXPECT_EQ(printed(Tensor::from({9.57501e-07F, 2.4087145e-3F}, {2})), "[9.5750102e-07 2.4087145e-03]");
}

EG_TEST(Print, scalars_and_nothing) {
  EXPECT_EQ(printed(Tensor(2.5F)), "2.5");
  EXPECT_EQ(printed(Tensor(3.0F)), "3.0");
  EXPECT_EQ(printed(Tensor(-0.0F)), "-0.0");
  EXPECT_EQ(printed(Tensor(1e20F)), "1e+20");
  EXPECT_EQ(printed(Tensor(1.5e-5F)), "1.5e-05");
  EXPECT_EQ(printed(Tensor(0.00012345678F)), "0.00012345678");
  EXPECT_EQ(printed(Tensor(-123456789.0F)), "-123456790.0");
  EXPECT_EQ(printed(Tensor(-INFINITY)), "-inf");
  EXPECT_EQ(printed(Tensor::from({7}, {})), "7");
  EXPECT_EQ(printed(zeros({0})), "[]");
  EXPECT_EQ(printed(zeros({2, 0, 3})), "[]");
}

EG_TEST(Print, three_axes_are_set_apart_by_blank_lines) {
  EXPECT_EQ(printed(upload(iota(DType::i32, {2, 2, 2}))), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

EG_TEST(Print, more_than_a_thousand_elements_are_abbreviated) {
  EXPECT_EQ(printed(upload(iota(DType::i32, {1001}))), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(printed(upload(iota(DType::i32, {1000}))).find("..."), std::string::npos);
  const std::string matrix = printed(upload(iota(DType::i32, {100, 100})));
  EXPECT_EQ(matrix.substr(0, matrix.find('\n')), "[[   0    1    2 ...   97   98   99]");
  EXPECT_NE(matrix.find("\n ...\n"), std::string::npos);
}

EG_TEST(Print, views_and_pending_expressions) {
  EXPECT_EQ(printed(neg(upload(iota(DType::i32, {2, 2}))).transpose(0, 1)), "[[ 0 -2]\n [-1 -3]]");
}

}  // namespace
}  // namespace eglantine::test
