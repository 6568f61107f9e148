#include "graph/op/op_info.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

/// What the operation table answers.
namespace eglantine::test {
namespace {

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(OpInfo, names_every_structural_instruction) {
  EXPECT_EQ(name_of(Op::cast), "cast");
  EXPECT_EQ(name_of(Op::custom), "custom");
  EXPECT_EQ(name_of(Op::store), "store");
  EXPECT_EQ(name_of(Reduction::custom), "custom");
}

TEST(OpInfo, knows_the_identity_of_each_reduction) {
  const auto identity = [](Reduction reduction, DType dtype) { return info_of(reduction).identity(dtype); };
  EXPECT_EQ(identity(Reduction::sum, DType::f32), bits(-0.0F));
  EXPECT_EQ(identity(Reduction::sum, DType::i32), 0U);
  EXPECT_EQ(identity(Reduction::prod, DType::f32), bits(1.0F));
  EXPECT_EQ(identity(Reduction::prod, DType::u32), 1U);
  EXPECT_EQ(identity(Reduction::any, DType::boolean), 0U);
  EXPECT_EQ(identity(Reduction::all, DType::boolean), 1U);
  for (const Reduction largest : {Reduction::max, Reduction::argmax}) {
    EXPECT_EQ(identity(largest, DType::f32), bits(-infinity));
    EXPECT_EQ(identity(largest, DType::i32), 0x80000000U);
    EXPECT_EQ(identity(largest, DType::u32), 0U);
  }
  for (const Reduction smallest : {Reduction::min, Reduction::argmin}) {
    EXPECT_EQ(identity(smallest, DType::f32), bits(infinity));
    EXPECT_EQ(identity(smallest, DType::i32), 0x7fffffffU);
    EXPECT_EQ(identity(smallest, DType::u32), 0xffffffffU);
  }
  for (const Reduction missing : {Reduction::nanmax, Reduction::nanmin})
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(identity(missing, DType::f32))));
}

TEST(OpInfo, knows_what_takes_many_steps) {
  for (const Op op : {Op::remainder, Op::fmod}) {
    EXPECT_TRUE(has_many_steps(op, DType::f32)) << "a division of up to fourteen steps, exact as it is";
    EXPECT_FALSE(has_many_steps(op, DType::i32));
  }
  for (const OpInfo& row : all_operations()) {
    const Op op = static_cast<Op>(&row - all_operations().data());
    const bool draws = row.name.starts_with("philox");
    EXPECT_EQ(has_many_steps(op, draws ? DType::u32 : DType::i32), draws || row.ulp > 0) << row.name;
  }
  for (const Op op : {Op::add, Op::gt, Op::where, Op::copy, Op::cast, Op::floor})
    EXPECT_FALSE(has_many_steps(op, DType::f32));
}

TEST(OpInfo, gives_zero_over_nothing_where_the_identity_is_negative_zero) {
  EXPECT_EQ(over_nothing(Reduction::sum, DType::f32), 0U);
  EXPECT_EQ(over_nothing(Reduction::max, DType::i32), 0x80000000U);
  EXPECT_TRUE(starts_at_negative_zero(Reduction::sum, DType::f32));
  EXPECT_FALSE(starts_at_negative_zero(Reduction::max, DType::i32));
  EXPECT_FALSE(starts_at_negative_zero(Reduction::custom, DType::f32));
}

TEST(OpInfo, knows_which_reductions_are_of_pairs_and_of_truth_values) {
  for (size_t i = 0; i <= all_reductions().size(); ++i) {
    const auto reduction = static_cast<Reduction>(i);
    EXPECT_EQ(is_arg(reduction), reduction == Reduction::argmax || reduction == Reduction::argmin);
    EXPECT_EQ(is_logical(reduction), reduction == Reduction::any || reduction == Reduction::all);
  }
}

}  // namespace
}  // namespace eglantine::test
