#include <gtest/gtest.h>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"
#include "verbs/network/convolution/convolution_gradients.hpp"

/// Windows whose elements are read again and again are padded by a kernel of their own: on a GPU where few rows of
/// weights have a gradient, on other devices wherever there are enough.
namespace eglantine::test {
namespace {

class PaddedWindows : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  static size_t kernels_of(int64_t rows, int64_t images, const ConvOptions& options, int64_t line = 32) {
    const Tensor x = full({images, 8, 128, 128}, 1), w = full({rows, 8, 3, 3}, 1);
    const Tensor g = full(conv(x, w, options).shape(), 1).eval();
    DeviceLimits device;
    device.line = line;
    const Tensor gradient = verbs::conv_weight_gradient(g, x.eval(), w.shape(), options);
    const GraphLock lock;
    return plan({gradient.node()}, device, gl::unstored).kernels.size();
  }
};

TEST_F(PaddedWindows, of_few_rows_are_stored_on_a_gpu) {
  const ConvOptions pads{.padding = 1};
  EXPECT_EQ(kernels_of(64, 8, pads), 2U);
  EXPECT_EQ(kernels_of(16, 8, pads), 2U);
  EXPECT_EQ(kernels_of(24, 8, pads), 1U);
  EXPECT_EQ(kernels_of(65, 8, pads), 1U);
}

TEST_F(PaddedWindows, that_are_small_or_read_seldom_or_not_padded_are_not) {
  EXPECT_EQ(kernels_of(64, 7, {.padding = 1}), 1U);
  EXPECT_EQ(kernels_of(64, 8, {.stride = 2, .padding = 1}), 1U);
  EXPECT_EQ(kernels_of(64, 8, {}), 1U);
}

TEST_F(PaddedWindows, are_stored_on_other_devices_where_they_are_many) {
  EXPECT_EQ(kernels_of(65, 1, {.padding = 1}, 0), 2U);
  EXPECT_EQ(kernels_of(65, 2, {.stride = 2, .padding = 1}, 0), 2U);
  EXPECT_EQ(kernels_of(65, 4, {.stride = 3, .padding = 1}, 0), 1U);
  EXPECT_EQ(kernels_of(65, 1, {}, 0), 1U);
}

}  // namespace
}  // namespace eglantine::test
