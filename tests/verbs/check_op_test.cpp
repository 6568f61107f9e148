#include <cmath>
#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/custom_ops.hpp"
#include "support/devices.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Custom, CheckOp);

/// The error of check_op; "nothing" if none.
template <class Op>
std::string said_of(const Op& op, const CheckOptions& options = {}) {
  try {
    check_op(op, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// The device that GLSL is checked on while `current` is current.
std::string spec_of_glsl(const Device& current) {
  return current.info().kind == "cpu" ? Device::open("gl").info().spec : current.info().spec;
}

EG_TEST(CheckOp, is_content_with_good_operations) {
  for (const ElementwiseOp& op : {swish(), multiply_add()}) EXPECT_EQ(said_of(op), "nothing");
  for (const ReduceOp& op : {plus(), log_add_exp(), compound()}) EXPECT_EQ(said_of(op), "nothing");
  EXPECT_EQ(said_of(ReduceOp{"product", 1, "a * b", [](float a, float b) { return a * b; }}), "nothing");
  EXPECT_EQ(said_of(ReduceOp{"largest", -INFINITY, "max(a, b)", [](float a, float b) { return std::fmax(a, b); }}),
            "nothing");
}

EG_TEST(CheckOp, leaves_the_current_device_alone) {
  const Device before = Device::current();
  check_op(swish());
  EXPECT_EQ(Device::current(), before);
}

EG_TEST(CheckOp, finds_another_function_on_the_cpu) {
  const ElementwiseOp op{"twice", 1, "2.0 * x0", [](std::span<const float> x) { return 3 * x[0]; }};
  EXPECT_ERROR(
      check_op(op), Error,
      "[check_op] \"twice\" of (1) is 2 by its GLSL on " + spec_of_glsl(device()) + " and 3 by its cpu function");
  const ElementwiseOp swapped{"minus", 2, "x0 - x1", [](std::span<const float> x) { return x[1] - x[0]; }};
  EXPECT_ERROR(
      check_op(swapped), Error,
      "[check_op] \"minus\" of (1, 0) is 1 by its GLSL on " + spec_of_glsl(device()) + " and -1 by its cpu function");
  const ReduceOp combine{"largest", -INFINITY, "max(a, b)", [](float a, float b) { return a < b ? a : b; }};
  EXPECT_ERROR(
      check_op(combine), Error,
      "[check_op] \"largest\" of (1, 0) is 1 by its GLSL on " + spec_of_glsl(device()) + " and 0 by its cpu function");
}

EG_TEST(CheckOp, finds_what_differs_on_special_values_alone) {
  const ElementwiseOp on_nan{"nan_to_zero", 1, "isnan(x0) ? 0.0 : x0", [](std::span<const float> x) { return x[0]; }};
  EXPECT_ERROR(check_op(on_nan), Error,
               "[check_op] \"nan_to_zero\" of (nan) is 0 by its GLSL on " + spec_of_glsl(device()) +
                   " and nan by its cpu function");
  const ElementwiseOp on_huge{"bounded", 1, "min(x0, 1e20)", [](std::span<const float> x) { return x[0]; }};
  EXPECT_ERROR(check_op(on_huge), Error,
               "[check_op] \"bounded\" of (1e+30) is 1e+20 by its GLSL on " + spec_of_glsl(device()) +
                   " and 1e+30 by its cpu function");
}

EG_TEST(CheckOp, finds_what_differs_between_the_special_values_alone) {
  const ElementwiseOp op{"kinked", 3, "x0 + x1 + x2", [](std::span<const float> x) {
                           return x[0] + x[1] + x[2] + (x[2] > 37 && x[2] < 53 ? 1.0F : 0.0F);
                         }};
  const std::string text = said_of(op);
  EXPECT_TRUE(text.starts_with("[check_op] \"kinked\" of (")) << text;
}

EG_TEST(CheckOp, finds_a_wrong_identity) {
  ReduceOp op = plus();
  op.identity = 1;
  EXPECT_ERROR(check_op(op), Error,
               "[check_op] the identity 1 of \"plus\" changes 0 to 1 by its cpu function, as operand a");
  const ReduceOp right_only{"first", 0, "b == 0.0 ? a : b", [](float a, float b) { return b == 0 ? a : b; }};
  EXPECT_EQ(said_of(right_only), "nothing");
  const ReduceOp power{"power", 1, "a == 1.0 ? b : a", [](float a, float b) { return a == 1 ? b : a; }};
  EXPECT_EQ(said_of(power), "nothing");
  const ReduceOp quotient{"quotient", 1, "a / b", [](float a, float b) { return a / b; }};
  EXPECT_ERROR(check_op(quotient), Error,
               "[check_op] the identity 1 of \"quotient\" changes 0 to inf by its cpu function, as operand a");
}

EG_TEST(CheckOp, finds_a_combination_that_is_not_associative) {
  const std::string minus = said_of(ReduceOp{"minus", 0, "b == 0.0 ? a : a == 0.0 ? b : a - b", [](float a, float b) {
                                               return b == 0 ? a : a == 0 ? b : a - b;
                                             }});
  EXPECT_TRUE(minus.starts_with("[check_op] \"minus\" is not associative: for (")) << minus;
  const std::string plain = said_of(ReduceOp{"minus", 0, "a - b", [](float a, float b) { return a - b; }});
  EXPECT_EQ(plain, "[check_op] the identity 0 of \"minus\" changes 1 to -1 by its cpu function, as operand a");
  const std::string mean =
      said_of(ReduceOp{"mean", 0, "b == 0.0 ? a : a == 0.0 ? b : 0.5 * (a + b)", [](float a, float b) {
                         return b == 0 ? a : a == 0 ? b : 0.5F * (a + b);
                       }});
  EXPECT_TRUE(mean.starts_with("[check_op] \"mean\" is not associative: for (")) << mean;
}

EG_TEST(CheckOp, shows_what_does_not_compile_as_the_user_wrote_it) {
  const std::string text =
      said_of(ReduceOp{"odd", 0, "a + vec2(b, a).b + unknown", [](float a, float b) { return a + b; }});
  EXPECT_TRUE(text.starts_with("[odd] the operation's GLSL does not compile:\n   1 | a + vec2(b, a).b + unknown\n"))
      << text;
  const std::string unary =
      said_of(ElementwiseOp{"odd", 1, "x0 + unknown", [](std::span<const float> x) { return x[0]; }});
  EXPECT_TRUE(unary.starts_with("[odd] the operation's GLSL does not compile:\n   1 | x0 + unknown\n")) << unary;
}

EG_TEST(CheckOp, leaves_no_error_behind_but_those_of_others) {
  const ElementwiseOp odd{"odd", 1, "x0 + unknown", [](std::span<const float> x) { return x[0]; }};
  const ElementwiseOp fails{"fails", 1, "x0", [](std::span<const float>) -> float { throw Error("on the CPU"); }};
  said_of(odd);
  EXPECT_EQ(said_of(fails), "on the CPU");
  EXPECT_NO_THROW(device().synchronize());
  const Tensor mine = elementwise(on_gl() ? odd : fails, {ones({3})}).eval();
  said_of(odd);
  EXPECT_THROW(device().synchronize(), Error);
}

ElementwiseOp square_root() {
  return {"root", 1, "sqrt(x0)", [](std::span<const float> x) { return x[0] < 0 ? 7 : std::sqrt(x[0]); }};
}

EG_TEST(CheckOp, tries_what_the_options_leave) {
  EXPECT_NE(said_of(square_root()), "nothing");
  EXPECT_EQ(said_of(square_root(), {.low = 0, .nan = false}), "nothing");
  EXPECT_EQ(said_of(square_root(), {.low = 0, .high = 100, .nan = false}), "nothing");
  const ElementwiseOp on_nan{"nan_to_zero", 1, "isnan(x0) ? 0.0 : x0", [](std::span<const float> x) { return x[0]; }};
  EXPECT_EQ(said_of(on_nan, {.nan = false}), "nothing");
  EXPECT_EQ(said_of(on_nan, {.special_values = false}), "nothing");
  EXPECT_NE(said_of(on_nan, {.low = -1, .high = 1}), "nothing");
  const ElementwiseOp on_huge{"bounded", 1, "min(x0, 1e20)", [](std::span<const float> x) { return x[0]; }};
  EXPECT_EQ(said_of(on_huge, {.special_values = false}), "nothing");
  EXPECT_EQ(said_of(on_huge, {.high = 1e19F, .nan = false}), "nothing");
  EXPECT_NE(said_of(on_huge, {.low = 1e19F}), "nothing");
}

EG_TEST(CheckOp, tries_nothing_outside_the_range) {
  for (const auto& [low, high] :
       {std::pair{0.0F, 1.0F}, {2.5F, 2.75F}, {-1e30F, -1e-30F}, {5.0F, 1e38F}, {-3e38F, 3e38F}, {-1e-3F, 0.0F}}) {
    for (int arity : {1, 2, 3}) {
      const float below = low, above = high;
      const ElementwiseOp op{"inside", arity, "x0", [=](std::span<const float> x) {
                               for (float each : x)
                                 if (!(each >= below && each <= above)) return std::nextafter(x[0], 0.0F) * 3 + 1;
                               return x[0];
                             }};
      EXPECT_EQ(said_of(op, {.low = low, .high = high, .nan = false}), "nothing");
    }
  }
}

EG_TEST(CheckOp, takes_the_range_for_combinations_too) {
  // 0 is no identity for numbers below zero.
  const ReduceOp largest{"largest", 0, "max(a, b)", [](float a, float b) { return std::fmax(a, b); }};
  EXPECT_NE(said_of(largest), "nothing");
  EXPECT_EQ(said_of(largest, {.low = 0}), "nothing");
  EXPECT_EQ(said_of(norm(), {.low = 0, .high = 1000, .nan = false}), "nothing");
  const ReduceOp wrong{"wrong", 0, "max(a, b)", [](float a, float b) { return a > 2 ? b : std::fmax(a, b); }};
  EXPECT_EQ(said_of(wrong, {.low = 0, .high = 2}), "nothing");
  EXPECT_NE(said_of(wrong, {.low = 0, .high = 3}), "nothing");
}

EG_TEST(CheckOp, wants_a_range) {
  const auto both = [](const CheckOptions& options, const std::string& message) {
    EXPECT_ERROR(check_op(swish(), options), Error, message);
    EXPECT_ERROR(check_op(plus(), options), Error, message);
  };
  both({.low = 3, .high = 2}, "[check_op] the range from 3 to 2 holds no two numbers; low must be below high");
  both({.low = 2, .high = 2}, "[check_op] the range from 2 to 2 holds no two numbers; low must be below high");
  const std::string rest = " is not finite; an end is open when it is left as it is";
  both({.low = NAN}, "[check_op] the range from nan to " + Scalar(std::numeric_limits<float>::max()).text() + rest);
  both({.low = 0, .high = INFINITY}, "[check_op] the range from 0 to inf" + rest);
}

EG_TEST(CheckOp, takes_the_longest_text_of_a_combination) {
  ReduceOp op = plus();
  op.glsl = "a + b /*";
  while (op.glsl.size() + 4 <= 16384) op.glsl += "a ";
  op.glsl += "*/";
  EXPECT_EQ(said_of(op), "nothing");
}

EG_TEST(CheckOp, tells_operands_from_components_and_longer_names) {
  EXPECT_EQ(said_of(ReduceOp{"plus", 0, "vec4(0.0, 0.0, a, 0.0).b + vec4(0.0, 0.0, 0.0, b).a * abs(-1.0)",
                             [](float a, float b) { return a + b; }}),
            "nothing");
}

}  // namespace
}  // namespace eglantine::test
