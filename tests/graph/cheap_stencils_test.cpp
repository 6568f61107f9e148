#include <gtest/gtest.h>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// What a stencil that wraps around computes at each place that it reads, instead of storing it: on GPUs, what is cheap
/// beside a dispatch or a pass through memory.
namespace eglantine::test {
namespace {

Tensor rolled_sum(const Tensor& x, int axis) { return x + roll(x, 1, axis) + roll(x, -1, axis); }

/// What is read at nine places is three sums of three comparisons.
Tensor life_step(const Tensor& x) {
  const Tensor alive = gt(x, 0.0F).astype(DType::f32), around = rolled_sum(rolled_sum(alive, 0), 1) - alive;
  return where(eq(around, 3.0F), 1.0F, where(eq(around, 2.0F), alive, 0.0F));
}

Tensor heat_step(const Tensor& x) {
  const Tensor around = roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1);
  return x + 0.1F * (around - 4.0F * x);
}

class CheapStencils : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  static size_t kernels(const Tensor& x, int64_t line = 32) {
    DeviceLimits device;
    device.line = line;
    const GraphLock lock;
    return plan({x.node()}, device, gl::unstored).kernels.size();
  }
};

TEST_F(CheapStencils, of_few_elements_are_one_kernel) {
  const Tensor x = uniform({64, 64}, 1).eval();
  EXPECT_EQ(kernels(life_step(x)), 1U);
  EXPECT_EQ(kernels(rolled_sum(rolled_sum(x, 0), 1)), 1U);
  EXPECT_EQ(kernels(rolled_sum(gt(x, 0.0F).astype(DType::f32), 0), 0), 2U) << "on a software device";
}

/// Which takes more loads than a pass through memory, rolls twice along one axis, or has many steps.
TEST_F(CheapStencils, what_is_dear_is_stored) {
  const Tensor x = uniform({64, 64}, 1).eval(), large = uniform({4096, 2050}, 1).eval();
  EXPECT_EQ(kernels(rolled_sum(rolled_sum(x, 0), 0)), 2U);
  EXPECT_EQ(kernels(heat_step(heat_step(x))), 2U);
  EXPECT_EQ(kernels(rolled_sum(exp(x), 0)), 2U);
  const Tensor y = x * 2.0F + 1.0F;
  PoolOptions around;
  around.stride = 1;
  around.padding = 2;
  EXPECT_EQ(kernels(y + avg_pool(y.reshape({1, 1, 64, 64}), 5, around).reshape({64, 64})), 2U) << "25 places";
  EXPECT_EQ(kernels(life_step(large)), 3U);
  EXPECT_EQ(kernels(rolled_sum(rolled_sum(large, 0), 1)), 2U);
}

}  // namespace
}  // namespace eglantine::test
