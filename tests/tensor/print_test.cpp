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

TEST_P(Print, integers_align) {
  EXPECT_EQ(printed(Tensor::from({1, -20, 300}, {3})), "[  1 -20 300]");
  EXPECT_EQ(printed(Tensor::from({1U, 2U, 3U, 4U}, {2, 2})), "[[1 2]\n [3 4]]");
}

TEST_P(Print, booleans) { EXPECT_EQ(printed(Tensor::from({true, false}, {2})), "[ True False]"); }

TEST_P(Print, floats) {
  EXPECT_EQ(printed(Tensor::from({1.0F, 2.5F, -3.25F}, {3})), "[ 1.    2.5  -3.25]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 2.0F}, {2})), "[1. 2.]");
  EXPECT_EQ(printed(Tensor::from({0.5F, INFINITY, NAN}, {3})), "[0.5 inf nan]");
}

// Each expected text is printed by NumPy 1.24 for the same array.
TEST_P(Print, floats_have_their_shortest_digits) {
  EXPECT_EQ(printed(Tensor::from({8.0F / 7, 9.0F / 7, 3.0F}, {3})), "[1.1428572 1.2857143 3.       ]");
  EXPECT_EQ(printed(Tensor::from({0.1F, 0.2F, 1.0F / 3}, {3})), "[0.1        0.2        0.33333334]");
  EXPECT_EQ(printed(Tensor::from({0.00012345678F, 0.0F, 0.0625F}, {3})), "[0.00012346 0.         0.0625    ]");
}

TEST_P(Print, floats_far_apart_have_exponents) {
  EXPECT_EQ(printed(Tensor::from({1e-8F, 1.0F, 1e8F}, {3})), "[1.e-08 1.e+00 1.e+08]");
  EXPECT_EQ(printed(Tensor::from({1e-5F, 0.1F, 123456.0F}, {3})), "[1.00000e-05 1.00000e-01 1.23456e+05]");
  EXPECT_EQ(printed(Tensor::from({1e10F, -INFINITY, 0.5F}, {3})), "[1.e+10   -inf 5.e-01]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 1000.0F}, {2})), "[   1. 1000.]");
  EXPECT_EQ(printed(Tensor::from({1.0F, 1001.0F}, {2})), "[1.000e+00 1.001e+03]");
}

TEST_P(Print, scalars_and_nothing) {
  EXPECT_EQ(printed(Tensor(2.5F)), "2.5");
  EXPECT_EQ(printed(Tensor(3.0F)), "3.0");
  EXPECT_EQ(printed(Tensor(-0.0F)), "-0.0");
  EXPECT_EQ(printed(Tensor(1e20F)), "1e+20");
  EXPECT_EQ(printed(Tensor(1.5e-5F)), "1.5e-05");
  EXPECT_EQ(printed(Tensor(-INFINITY)), "-inf");
  EXPECT_EQ(printed(Tensor::from({7}, {})), "7");
  EXPECT_EQ(printed(zeros({0})), "[]");
  EXPECT_EQ(printed(zeros({2, 0, 3})), "[]");
}

TEST_P(Print, three_axes_are_set_apart_by_blank_lines) {
  EXPECT_EQ(printed(upload(iota(DType::i32, {2, 2, 2}))), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

TEST_P(Print, more_than_a_thousand_elements_are_abbreviated) {
  EXPECT_EQ(printed(upload(iota(DType::i32, {1001}))), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(printed(upload(iota(DType::i32, {1000}))).find("..."), std::string::npos);
  const std::string matrix = printed(upload(iota(DType::i32, {100, 100})));
  EXPECT_EQ(matrix.substr(0, matrix.find('\n')), "[[   0    1    2 ...   97   98   99]");
  EXPECT_NE(matrix.find("\n ...\n"), std::string::npos);
}

TEST_P(Print, views_and_pending_expressions) {
  EXPECT_EQ(printed(neg(upload(iota(DType::i32, {2, 2}))).transpose(0, 1)), "[[ 0 -2]\n [-1 -3]]");
}

}  // namespace
}  // namespace eglantine::test
