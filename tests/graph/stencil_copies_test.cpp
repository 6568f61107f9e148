#include <gtest/gtest.h>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"
#include "verbs/build.hpp"

/// What a convolution's taps read lies in rows: a copy of what lies across is stored on a GPU, and no other.
namespace eglantine::test {
namespace {

class StencilCopies : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  static size_t kernels_of(const Tensor& x, int64_t line) {
    DeviceLimits device;
    device.line = line;
    const GraphLock lock;
    return plan({x.node()}, device, gl::unstored).kernels.size();
  }
  static Tensor copy(const Tensor& x) {
    return pend(make_elementwise(Op::copy, x.dtype(), {x.node(), nullptr, nullptr}));
  }
  static Tensor depthwise(const Tensor& x, int64_t places, bool pads = true) {
    ConvOptions options;
    options.padding = pads ? places / 2 : 0;
    options.groups = x.shape()[1];
    return conv(x, uniform({options.groups, 1, places, places}, 2).eval(), options);
  }
};

TEST_F(StencilCopies, of_what_lies_across_are_stored_on_a_gpu) {
  const Tensor across = uniform({2, 64, 33, 70}, 1).eval().transpose(1, 3), rows = uniform({2, 70, 33, 64}, 1).eval();
  EXPECT_EQ(kernels_of(depthwise(copy(across), 3), 32), 2U);
  EXPECT_EQ(kernels_of(depthwise(copy(across), 3, false), 32), 2U);
  EXPECT_EQ(kernels_of(depthwise(copy(across), 3), 0), 1U);
  EXPECT_EQ(kernels_of(depthwise(copy(rows.transpose(0, 1)), 3), 32), 1U);
  EXPECT_EQ(kernels_of(depthwise(across, 3), 32), 1U);
}

TEST_F(StencilCopies, of_few_elements_are_not) {
  const Tensor across = uniform({2, 64, 5, 7}, 1).eval().transpose(1, 3);
  EXPECT_EQ(kernels_of(depthwise(copy(across), 3), 32), 1U);
}

}  // namespace
}  // namespace eglantine::test
