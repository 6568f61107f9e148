#include "verbs/constant_folding.hpp"

#include <limits>
#include <vector>

#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/structure/structure.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Elementwise, ConstantFolding);

constexpr float smallest = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();

bool is_constant(const Tensor& x) { return x.node()->as<nodes::Constant>() != nullptr; }

Tensor number(float x) { return full({3}, x); }
Tensor in_memory(float x) { return Tensor::from({x, x, x}, {3}); }

/// As the device computes them of what lies in memory.
EG_TEST(ConstantFolding, has_the_bits_of_the_device) {
  const std::vector<float> numbers{1, -3, 7, 0.1F, 1.0F / 3, 2097152, 8192000, 1e-30F, -1e30F, smallest, largest};
  for (const float a : numbers) {
    EXPECT_TRUE(is_constant(-number(a)));
    EXPECT_TRUE(same_bits(-number(a), -in_memory(a))) << a;
    for (const float b : numbers) {
      EXPECT_TRUE(same_bits(number(a) + number(b), in_memory(a) + in_memory(b))) << a << " and " << b;
      EXPECT_TRUE(same_bits(number(a) - number(b), in_memory(a) - in_memory(b))) << a << " and " << b;
      EXPECT_TRUE(same_bits(number(a) * number(b), in_memory(a) * in_memory(b))) << a << " and " << b;
      EXPECT_TRUE(same_bits(number(a) / number(b), in_memory(a) / in_memory(b))) << a << " and " << b;
    }
  }
}

EG_TEST(ConstantFolding, is_of_numbers_that_are_alike_everywhere) {
  EXPECT_TRUE(is_constant(number(2) / 3.0F + number(1) * 4.0F));
  EXPECT_TRUE(is_constant(full({2, 1}, 2.0F) - full({3}, 1.0F)));
  EXPECT_EQ((full({2, 1}, 2.0F) - full({3}, 1.0F)).shape(), (Shape{2, 3}));
  EXPECT_FALSE(is_constant(number(2) - 2.0F));
  EXPECT_FALSE(is_constant(number(0) + 1.0F));
  EXPECT_FALSE(is_constant(number(smallest) * 0.5F));
  EXPECT_FALSE(is_constant(number(largest) * 2.0F));
  EXPECT_FALSE(is_constant(maximum(number(1), 2.0F)));
  EXPECT_FALSE(is_constant(full({3}, 1, DType::i32) + full({3}, 2, DType::i32)));
  EXPECT_FALSE(is_constant(in_memory(1) + 2.0F));
}

/// A rate that changes from step to step makes no new plan.
EG_TEST(ConstantFolding, other_numbers_have_the_same_plan) {
  const Tensor x = uniform({3}, 1).eval();
  const auto words = [&](float rate) {
    const Tensor y = x * (number(rate) / 3.0F * -2.0F);
    const GraphLock lock;
    GraphStructure graph;
    graph.read({y.node()});
    return graph.words();
  };
  EXPECT_EQ(words(0.1F), words(0.003F));
}

}  // namespace
}  // namespace eglantine::test
