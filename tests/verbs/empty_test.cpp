#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/random/random_data.hpp"
#include "support/verb_table.hpp"

/// Empty tensors and scalars through every verb.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Empty, ZeroSize);
EG_ON_EACH_DEVICE(Empty, RankZero);

DType dtype_for(const Verb& verb) {
  return verb.name.starts_with("bit_") || verb.name.starts_with("shift_") ? DType::i32 : DType::f32;
}

std::vector<Tensor> arguments(const Verb& verb, const std::vector<Dims>& shapes) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < verb.arity; ++i) {
    const DType dtype = verb.name == "where" && i == 0 ? DType::boolean : dtype_for(verb);
    tensors.push_back(upload(random_array(dtype, shapes[i % shapes.size()], i + 1)));
  }
  return tensors;
}

EG_TEST(ZeroSize, every_element_wise_verb) {
  for (const Verb& verb : verbs())
    for (const std::vector<Dims>& shapes : {std::vector<Dims>{{0}}, {{0, 3}, {1}}, {{2, 0}, {}}, {{0, 1}, {1, 3}}}) {
      SCOPED_TRACE(verb.name + " of " + text(shapes[0]));
      const Tensor result = verb.call(arguments(verb, shapes));
      EXPECT_EQ(download(result).size(), 0);
      EXPECT_EQ(result.rank(), static_cast<int>(shapes[0].size()));
    }
}

EG_TEST(RankZero, every_element_wise_verb_gives_what_one_element_gives) {
  for (const Verb& verb : verbs()) {
    SCOPED_TRACE(verb.name);
    const Array scalar = download(verb.call(arguments(verb, {{}})));
    Array one = download(verb.call(arguments(verb, {{1}})));
    EXPECT_EQ(one.shape, Dims{1});
    one.shape = {};
    EXPECT_TRUE(matches(scalar, one, bitwise));
  }
}

EG_TEST(RankZero, every_reduction_of_all_axes) {
  const Tensor x = Tensor(2.5F) + 0;
  for (const Tensor& y : {sum(x), prod(x), max(x), min(x), mean(x), sum(x, {}, true), multiply_sum(x, ones({}), {})}) {
    EXPECT_EQ(y.rank(), 0);
    EXPECT_EQ(y.item<float>(), 2.5F);
  }
  EXPECT_EQ(var(x).item<float>(), 0.0F);
  EXPECT_NEAR(logsumexp(x).item<float>(), 2.5F, 2e-6);
  EXPECT_TRUE(any(x).item<bool>());
  EXPECT_TRUE(all(x).item<bool>());
}

EG_TEST(RankZero, moves_converts_and_evaluates) {
  const Tensor x = full({}, 3, DType::i32);
  EXPECT_EQ(x.astype(DType::f32).item<float>(), 3.0F);
  EXPECT_EQ(x.eval().layout().shape, Shape{});
  EXPECT_EQ(x.permute({}).item<int32_t>(), 3);
  EXPECT_EQ(x.expand({2, 2}).to_vector<int32_t>(), (std::vector<int32_t>{3, 3, 3, 3}));
  EXPECT_EQ(stack({x, x}, 0).to_vector<int32_t>(), (std::vector<int32_t>{3, 3}));
}

EG_TEST(ZeroSize, sums_and_products_over_and_beside_nothing) {
  const Tensor x = zeros({0, 3});
  EXPECT_EQ(sum(x, {0}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(prod(x, {0}).to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(any(x, {0}).to_vector<bool>(), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(all(x, {0}, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(sum(x, {1}).shape(), Shape{0});
  EXPECT_EQ(mean(x, {1}, true).shape(), (Shape{0, 1}));
  EXPECT_EQ(multiply_sum(x, ones({3}), {0}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(sum(zeros({2, 0, 3}, DType::u32), {1}).to_vector<uint32_t>(), std::vector<uint32_t>(6, 0));
}

EG_TEST(ZeroSize, moves_copies_and_evaluates) {
  const Tensor x = zeros({0, 3});
  EXPECT_EQ(x.transpose(0, 1).to_vector<float>().size(), 0U);
  EXPECT_EQ(x.astype(DType::i32).eval().shape(), (Shape{0, 3}));
  EXPECT_EQ(x.as_strided({0}, {1}).size(), 0);
  std::vector<float> nothing;
  x.copy_to(std::span<float>(nothing), MemoryOrder::column_major);
  EXPECT_EQ(x.to(Device::current()).size(), 0);
  EXPECT_EQ(concatenate({x, ones({2, 3})}, 0).shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace eglantine::test
