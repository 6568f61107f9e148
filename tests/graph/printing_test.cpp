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

TEST_P(Print, scalars_and_nothing) {
  EXPECT_EQ(printed(Tensor(2.5F)), "2.5");
  EXPECT_EQ(printed(Tensor::from({7}, {})), "7");
  EXPECT_EQ(printed(zeros({0})), "[]");
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
