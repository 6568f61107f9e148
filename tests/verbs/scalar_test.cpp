#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Operands, ScalarOperand);

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;
using Bools = std::vector<bool>;

EG_TEST(ScalarOperand, on_either_side_of_an_operator) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 4.0F}, {3});
  EXPECT_EQ((x + 1).to_vector<float>(), (Floats{2, 3, 5}));
  EXPECT_EQ((1.5 + x).to_vector<float>(), (Floats{2.5F, 3.5F, 5.5F}));
  EXPECT_EQ((x - 1.0F).to_vector<float>(), (Floats{0, 1, 3}));
  EXPECT_EQ((1 - x).to_vector<float>(), (Floats{0, -1, -3}));
  EXPECT_EQ((2U * x).to_vector<float>(), (Floats{2, 4, 8}));
  EXPECT_EQ((8 / x).to_vector<float>(), (Floats{8, 4, 2}));
  EXPECT_EQ((x / 2).to_vector<float>(), (Floats{0.5F, 1, 2}));
  EXPECT_EQ((-x).to_vector<float>(), (Floats{-1, -2, -4}));
}

EG_TEST(ScalarOperand, on_either_side_of_a_verb) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 4.0F}, {3});
  EXPECT_EQ(pow(2, x).to_vector<float>(), (Floats{2, 4, 16}));
  EXPECT_EQ(pow(x, 2).to_vector<float>(), (Floats{1, 4, 16}));
  EXPECT_EQ(explain(pow(x, 2)), explain(square(x)));
  EXPECT_EQ(remainder(x, 3).to_vector<float>(), (Floats{1, 2, 1}));
  EXPECT_EQ(maximum(2, x).to_vector<float>(), (Floats{2, 2, 4}));
  EXPECT_EQ(lt(x, 2).to_vector<bool>(), (Bools{true, false, false}));
  EXPECT_EQ(ge(2, x).to_vector<bool>(), (Bools{true, true, false}));
  EXPECT_EQ(clip(x, 1.5, 3).to_vector<float>(), (Floats{1.5F, 2, 3}));
}

EG_TEST(ScalarOperand, takes_the_dtype_of_the_tensor) {
  const Tensor i = Tensor::from({-7, 7}, {2});
  EXPECT_EQ((i + 1).dtype(), DType::i32);
  EXPECT_EQ((i * 2).to_vector<int32_t>(), (Ints{-14, 14}));
  EXPECT_EQ((i + true).to_vector<int32_t>(), (Ints{-6, 8}));
  const Tensor u = Tensor::from({1U, 4000000000U}, {2});
  EXPECT_EQ((u + 4294967295U).to_vector<uint32_t>(), (std::vector<uint32_t>{0, 3999999999U}));
  EXPECT_EQ(shift_left(u, 1).to_vector<uint32_t>(), (std::vector<uint32_t>{2, 3705032704U}));
  const Tensor b = Tensor::from({true, false}, {2});
  EXPECT_EQ(logical_xor(b, true).to_vector<bool>(), (Bools{false, true}));
  EXPECT_EQ(eq(b, 0).to_vector<bool>(), (Bools{false, true}));
}

EG_TEST(ScalarOperand, in_where) {
  const Tensor condition = Tensor::from({true, false}, {2});
  const Tensor x = Tensor::from({3, 4}, {2});
  EXPECT_EQ(where(condition, x, -1).to_vector<int32_t>(), (Ints{3, -1}));
  EXPECT_EQ(where(condition, -1, x).to_vector<int32_t>(), (Ints{-1, 4}));
}

EG_TEST(ScalarOperand, infinities_and_nan_are_floats) {
  const Tensor x = Tensor::from({1.0F}, {1});
  EXPECT_TRUE(std::isinf((x * INFINITY).item<float>()));
  EXPECT_TRUE(std::isnan((x + NAN).item<float>()));
  EXPECT_EQ((x * 16777216).item<float>(), 16777216.0F);
  EXPECT_EQ((x * 33554432).item<float>(), 33554432.0F);
  EXPECT_EQ((x * 0.1).item<float>(), 0.1F);
}

EG_TEST(ScalarOperand, a_scalar_tensor_is_no_number_but_broadcasts) {
  const Tensor x = Tensor::from({1, 2}, {2});
  EXPECT_EQ((x + Tensor(0.5F)).to_vector<float>(), (std::vector<float>{1.5F, 2.5F}));
  EXPECT_EQ((x + full({}, 1, DType::i32)).to_vector<int32_t>(), (Ints{2, 3}));
}

EG_TEST(ScalarOperand, floating_numbers_make_integers_f32_and_integers_make_booleans_i32) {
  const Tensor i = Tensor::from({3, -4}, {2}), b = Tensor::from({true, false}, {2});
  EXPECT_EQ((i + 0.5).to_vector<float>(), (Floats{3.5F, -3.5F}));
  EXPECT_EQ((2.0 * i).to_vector<float>(), (Floats{6, -8}));
  EXPECT_TRUE(std::isnan((i * NAN).to_vector<float>()[0]));
  EXPECT_EQ(maximum(i, -INFINITY).to_vector<float>(), (Floats{3, -4}));
  EXPECT_EQ((i + 2147483648.0).to_vector<float>()[0], 2147483648.0F);
  EXPECT_EQ((b + 1).to_vector<int32_t>(), (Ints{2, 1}));
  EXPECT_EQ((b * 0.5F).to_vector<float>(), (Floats{0.5F, 0}));
  EXPECT_EQ(eq(b, 2).to_vector<bool>(), (std::vector<bool>{false, false}));
  EXPECT_EQ((b | true).to_vector<bool>(), (std::vector<bool>{true, true}));
  EXPECT_EQ(where(b, i, 1.5).to_vector<float>(), (Floats{3, 1.5F}));
  EXPECT_EQ(clip(i, -0.5, 1).to_vector<float>(), (Floats{1, -0.5F}));
}

EG_TEST(ScalarOperand, two_numbers_meet_as_tensors_do) {
  const Tensor b = Tensor::from({true, false}, {2});
  EXPECT_EQ(where(b, 1, 2).to_vector<int32_t>(), (Ints{1, 2}));
  EXPECT_EQ(where(b, 1, 0.5).to_vector<float>(), (Floats{1, 0.5F}));
  EXPECT_EQ(where(b, false, true).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(add(1, 2).item<int32_t>(), 3);
  EXPECT_EQ(bit_and(6, 3).item<int32_t>(), 2);
}

EG_TEST(ScalarOperand, one_that_does_not_fit_is_an_error) {
  const Tensor f = ones({2});
  const Tensor i = ones({2}, DType::i32);
  const Tensor u = ones({2}, DType::u32);
  const Tensor b = ones({2}, DType::boolean);
  EXPECT_THROW(i + 2147483648LL, DTypeError);
  EXPECT_THROW(u - -1, DTypeError);
  EXPECT_THROW(u + 4294967296LL, DTypeError);
  EXPECT_THROW(f + 16777217, DTypeError);
  EXPECT_THROW(f + 1e39, DTypeError);
  EXPECT_THROW(where(b, u, -1), DTypeError);
  EXPECT_THROW(clip(u, -1, 3), DTypeError);
}

}  // namespace
}  // namespace eglantine::test
