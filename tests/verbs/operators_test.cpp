#include <cmath>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"

/// Operators, compound assignments, and comparisons of whole tensors.
namespace eglantine::test {
namespace {

/// Which verb an operator calls is no matter of the device.
#define EG_ON_THE_CPU(Suite)          \
  class Suite : public DeviceTest {}; \
  EG_SUITE(Operators, Suite, {"cpu"})

EG_ON_THE_CPU(Operator);
EG_ON_THE_CPU(Compound);
EG_ON_EACH_DEVICE(Operators, Whole);

#define EG_EXPECT_OPERATOR(symbol, verb)          \
  EXPECT_TRUE(same_bits(x symbol y, verb(x, y))); \
  EXPECT_TRUE(same_bits(x symbol 3, verb(x, 3))); \
  EXPECT_TRUE(same_bits(3 symbol x, verb(3, x)))

EG_TEST(Operator, is_its_verb) {
  const Tensor x = upload(random_array(DType::i32, {3, 5})), y = upload(random_array(DType::i32, {5}));
  EG_EXPECT_OPERATOR(+, add);
  EG_EXPECT_OPERATOR(-, sub);
  EG_EXPECT_OPERATOR(*, mul);
  EG_EXPECT_OPERATOR(/, div);
  EG_EXPECT_OPERATOR(%, remainder);
  EG_EXPECT_OPERATOR(&, bit_and);
  EG_EXPECT_OPERATOR(|, bit_or);
  EG_EXPECT_OPERATOR(^, bit_xor);
  EG_EXPECT_OPERATOR(<<, shift_left);
  EG_EXPECT_OPERATOR(>>, shift_right);
  EG_EXPECT_OPERATOR(<, lt);
  EG_EXPECT_OPERATOR(<=, le);
  EG_EXPECT_OPERATOR(>, gt);
  EG_EXPECT_OPERATOR(>=, ge);
  EG_EXPECT_OPERATOR(==, eq);
  EG_EXPECT_OPERATOR(!=, ne);
  EXPECT_TRUE(same_bits(-x, neg(x)));
  EXPECT_TRUE(same_bits(+x, x));
  EXPECT_TRUE(same_bits(~x, bit_not(x)));
  EXPECT_TRUE(same_bits(!x, logical_not(x)));
}

#define EG_EXPECT_COMPOUND(symbol, verb)                     \
  {                                                          \
    Tensor z = x;                                            \
    EXPECT_TRUE(same_bits(z symbol y, verb(x, y)));          \
    EXPECT_TRUE(same_bits(z symbol 2, verb(verb(x, y), 2))); \
  }

EG_TEST(Compound, is_its_verb) {
  const Tensor x = upload(random_array(DType::i32, {3, 5})), y = upload(random_array(DType::i32, {5}));
  EG_EXPECT_COMPOUND(+=, add);
  EG_EXPECT_COMPOUND(-=, sub);
  EG_EXPECT_COMPOUND(*=, mul);
  EG_EXPECT_COMPOUND(/=, div);
  EG_EXPECT_COMPOUND(%=, remainder);
  EG_EXPECT_COMPOUND(&=, bit_and);
  EG_EXPECT_COMPOUND(|=, bit_or);
  EG_EXPECT_COMPOUND(^=, bit_xor);
  EG_EXPECT_COMPOUND(<<=, shift_left);
  EG_EXPECT_COMPOUND(>>=, shift_right);
}

EG_TEST(Compound, leaves_other_handles_and_what_was_refused) {
  Tensor x = ones({3}, DType::i32);
  const Tensor before = x;
  x += 1;
  EXPECT_EQ(before.to_vector<int32_t>(), (std::vector<int32_t>{1, 1, 1}));
  EXPECT_ERROR(x += ones({2, 3}, DType::i32), ShapeError,
               "[+=] the result would be (2, 3), and (3,) keeps its shape; assign the verb's result instead");
  EXPECT_ERROR(x *= 0.5, DTypeError,
               "[*=] the result would be f32, and a tensor of i32 keeps its dtype; convert with astype");
  EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{2, 2, 2}));
}

EG_TEST(Whole, undefined_tensors) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_TRUE(ones({2}).defined());
  EXPECT_EQ(std::vector<Tensor>(3).size(), 3U);
  EXPECT_TRUE(same(none, Tensor()));
  EXPECT_FALSE(same(none, ones({2})));
  const Tensor x = ones({2}), handle = x;
  EXPECT_TRUE(same(x, handle));
  EXPECT_FALSE(same(x, ones({2})));
}

EG_TEST(Whole, equality) {
  const Tensor x = Tensor::from({1.0F, 2.0F}, {2});
  EXPECT_TRUE(array_equal(x, Tensor::from({1, 2}, {2})));
  EXPECT_FALSE(array_equal(x, Tensor::from({1, 3}, {2})));
  EXPECT_FALSE(array_equal(x, x.reshape({1, 2})));
  EXPECT_FALSE(array_equal(x * NAN, x * NAN));
  EXPECT_TRUE(array_equal(zeros({0}), zeros({0})));
}

EG_TEST(Whole, closeness_of_floats) {
  const std::vector<float> a{1.0F, 1.0F, 0.0F, INFINITY, INFINITY, -INFINITY, NAN, 1e10F};
  const std::vector<float> b{1.000005F, 1.0001F, 1e-9F, INFINITY, -INFINITY, 1.0F, NAN, 1.000005e10F};
  const Tensor x = Tensor::from(a, {8}), y = Tensor::from(b, {8});
  const std::vector<bool> close{true, false, true, true, false, false, false, true};
  EXPECT_EQ(isclose(x, y).to_vector<bool>(), close);
  std::vector<bool> with_nan = close;
  with_nan[6] = true;
  EXPECT_EQ(isclose(x, y, 1e-5, 1e-8, true).to_vector<bool>(), with_nan);
  EXPECT_FALSE(allclose(x, y));
  EXPECT_TRUE(allclose(x, x, 0, 0, true));
  EXPECT_TRUE(allclose(ones({2, 3}), 1));
  EXPECT_FALSE(allclose(1, x));
}

EG_TEST(Whole, an_infinity_is_close_to_itself_only) {
  const Tensor x = Tensor::from({INFINITY, -INFINITY, INFINITY, 1.0F}, {4});
  const Tensor y = Tensor::from({1e38F, 1e38F, INFINITY, -INFINITY}, {4});
  EXPECT_EQ(isclose(x, y, 10, 0).to_vector<bool>(), (std::vector<bool>{false, false, true, false}));
  EXPECT_EQ(isclose(x, y, 0, 3.4e38).to_vector<bool>(), (std::vector<bool>{false, false, true, false}));
}

EG_TEST(Whole, closeness_of_integers) {
  const Tensor x = Tensor::from({INT32_MAX, 16777217, 3}, {3}), y = Tensor::from({INT32_MIN, 16777216, 4}, {3});
  EXPECT_EQ(isclose(x, y, 0, 0.5).to_vector<bool>(), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(isclose(x, y, 0, 1).to_vector<bool>(), (std::vector<bool>{false, true, true}));
  EXPECT_TRUE(allclose(Tensor::from({true}, {1}), 1.0F));
}

EG_TEST(Whole, tolerances_are_finite_and_not_negative) {
  EXPECT_ERROR(isclose(ones({2}), 1, -1.0), Error, "[isclose] rtol is finite as f32 and not negative, got -1");
  EXPECT_ERROR(allclose(ones({2}), 1, 0, NAN), Error, "[allclose] atol is finite as f32 and not negative, got nan");
}

EG_TEST(Whole, one_axis_is_an_integer) {
  const Tensor x = upload(random_array(DType::i32, {3, 5}));
  EXPECT_THROW(sum(x, UINT64_MAX), ShapeError);
  EXPECT_TRUE(same_bits(sum(x, uint32_t{1}), sum(x, {1})));
  EXPECT_TRUE(same_bits(sum(x, 0), sum(x, {0})));
  EXPECT_TRUE(same_bits(max(x, -1), max(x, {1})));
  EXPECT_TRUE(same_bits(x.flip(size_t{1}), x.flip({1})));
  EXPECT_EQ(x.unsqueeze(0).squeeze(0).shape(), x.shape());
}

}  // namespace
}  // namespace eglantine::test
