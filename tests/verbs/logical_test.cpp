
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Elementwise, Truth);

/// Values of a dtype that are false, true, and other representations of true.
Array truths(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::bf16:
      return {dtype, {6}, {0, -0.0, 1, -2.5, nan, as_element(dtype, 1e-30)}};
    case DType::f16:
      return {dtype, {6}, {0, -0.0, 1, -2.5, nan, 0x1p-24}};
    case DType::i32:
      return {dtype, {4}, {0, 1, -1, -2147483648.0}};
    case DType::u32:
      return {dtype, {4}, {0, 1, 2, 4294967295.0}};
    case DType::i8:
      return {dtype, {4}, {0, 1, -1, -128}};
    case DType::u8:
      return {dtype, {4}, {0, 1, 2, 255}};
    case DType::boolean:
      break;
  }
  return {dtype, {2}, {0, 1}};
}

EG_TEST(Truth, logical_verbs_take_every_dtype) {
  for (DType dtype : every_dtype) {
    const Array x = truths(dtype);
    const Array y = naive::reshape(x, {x.size(), 1});
    const auto check = [&](const Tensor& result, bool (*f)(bool, bool)) {
      EXPECT_TRUE(matches(
          result, naive::map(y, x, DType::boolean, [&](double a, double b) { return f(a != 0, b != 0) ? 1.0 : 0.0; })))
          << name_of(dtype);
    };
    check(logical_and(upload(y), upload(x)), [](bool a, bool b) { return a && b; });
    check(logical_or(upload(y), upload(x)), [](bool a, bool b) { return a || b; });
    check(logical_xor(upload(y), upload(x)), [](bool a, bool b) { return a != b; });
    EXPECT_TRUE(
        matches(logical_not(upload(x)), naive::map(x, DType::boolean, [](double v) { return v == 0 ? 1.0 : 0.0; })));
  }
}

EG_TEST(Truth, a_boolean_result_feeds_every_consumer) {
  const Array x = random_array(DType::i32, {13, 127});
  const Tensor positive = gt(upload(x), 0);
  const Array expected = naive::map(x, DType::boolean, [](double v) { return v > 0 ? 1.0 : 0.0; });
  EXPECT_TRUE(matches(positive, expected));
  EXPECT_TRUE(matches(positive.astype(DType::f32), naive::cast(expected, DType::f32)));
  EXPECT_TRUE(matches(sum(positive, {1}), naive::sum(expected, {1})));
  EXPECT_TRUE(matches(max(positive, {0}), naive::max(expected, {0})));
  EXPECT_TRUE(matches(argmax(positive, 1), naive::argmax(expected, 1)));
  EXPECT_TRUE(matches(positive.transpose(0, 1), naive::transpose(expected, 0, 1)));
  EXPECT_TRUE(
      matches(where(positive, upload(x), 0), naive::map(x, DType::i32, [](double v) { return v > 0 ? v : 0.0; })));
}

}  // namespace
}  // namespace eglantine::test
