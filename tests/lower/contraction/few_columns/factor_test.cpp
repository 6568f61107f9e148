#include "lower/contraction/few_columns/factor.hpp"

#include <gtest/gtest.h>

#include "graph/kernel/expression.hpp"

/// Which matrices are taken apart into weights and a factor of each run.
namespace eglantine::test {
namespace {

const Shape matrix_domain{8, 4, 32};

Strided strided_operand(StorageType storage, const std::vector<int64_t>& strides) {
  return {nullptr, storage, {matrix_domain, strides, 0}};
}

/// An expression of weights w, by elements, and of blocks' scales s and zeros z.
struct MatrixFormula {
  ExpressionBuilder builder{matrix_domain};

  int as_f32(int x) { return builder.operation(Op::cast, DType::f32, {x, -1, -1}); }
  int w(StorageType storage) {
    const int x = builder.load(strided_operand(storage, {128, 32, 1}));
    return dtype_of(storage) == DType::i8 || dtype_of(storage) == DType::u8 ? as_f32(x) : x;
  }
  int s() { return builder.load(strided_operand(StorageType::f16, {4, 1, 0})); }
  int z() { return as_f32(builder.load(strided_operand(StorageType::i8, {4, 1, 0}))); }
  int of(Op op, int x, int y) { return builder.operation(op, DType::f32, {x, y, -1}); }

  std::optional<lower::FactoredMatrix> factored(int64_t run = 4) { return lower::factored(builder.expr(), run); }
};

TEST(FewColumnsFactor, scales_of_bytes_are_factors_on_either_side) {
  for (const bool scale_first : {false, true})
    for (const StorageType storage : {StorageType::i8, StorageType::u8}) {
      MatrixFormula f;
      const int w = f.w(storage), s = f.s();
      f.of(Op::mul, scale_first ? s : w, scale_first ? w : s);
      const auto found = f.factored();
      ASSERT_TRUE(found.has_value());
      ASSERT_EQ(found->weights.operands.size(), 1U);
      EXPECT_EQ(found->weights.operands[0].storage, storage);
      EXPECT_EQ(found->weights.dtype(), DType::f32);
      ASSERT_EQ(found->factor.operands.size(), 1U);
      EXPECT_EQ(found->factor.operands[0].storage, StorageType::f16);
      EXPECT_EQ(found->factor.code.size(), 1U);
    }
}

TEST(FewColumnsFactor, zeros_of_blocks_stay_with_the_weights_and_products_of_scales_are_one_factor) {
  MatrixFormula f;
  const int w = f.of(Op::sub, f.w(StorageType::i8), f.z()), s = f.s();
  f.of(Op::mul, w, f.of(Op::mul, s, s));
  const auto found = f.factored();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->weights.operands.size(), 2U);
  EXPECT_EQ(found->weights.code.back().op, Op::sub);
  EXPECT_EQ(found->factor.code.back().op, Op::mul);
  EXPECT_EQ(found->factor.operands.size(), 1U);
}

TEST(FewColumnsFactor, weights_that_may_be_large_are_scaled_before_they_are_summed) {
  for (const StorageType storage : {StorageType::f32, StorageType::f16, StorageType::bf16}) {
    MatrixFormula f;
    f.of(Op::mul, f.w(storage), f.s());
    EXPECT_FALSE(f.factored().has_value());
  }
  MatrixFormula squared;
  const int w = squared.w(StorageType::i8);
  squared.of(Op::mul, squared.of(Op::mul, w, w), squared.s());
  EXPECT_FALSE(squared.factored().has_value());
}

TEST(FewColumnsFactor, what_differs_within_a_run_is_no_factor) {
  MatrixFormula by_element;
  const int w = by_element.w(StorageType::i8);
  by_element.of(Op::mul, w, by_element.builder.load(strided_operand(StorageType::f32, {128, 32, 1})));
  EXPECT_FALSE(by_element.factored().has_value());

  MatrixFormula sum;
  sum.of(Op::add, sum.w(StorageType::i8), sum.s());
  EXPECT_FALSE(sum.factored().has_value());

  MatrixFormula alone;
  alone.of(Op::mul, alone.w(StorageType::i8), alone.s());
  EXPECT_FALSE(alone.factored(1).has_value()) << "one quad: there is no sum of a run to multiply";
}

}  // namespace
}  // namespace eglantine::test
