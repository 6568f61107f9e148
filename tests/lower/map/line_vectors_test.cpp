#include "lower/map/line_vectors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// Windows over rows of no whole vectors: four lines of results share what they read.
namespace eglantine::test {
namespace {

class LineVectors : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  /// The only dispatch of x on hardware.
  static std::string text_of(const Tensor& x) {
    lower::Target target;
    target.max_block_bytes = 1 << 27;
    target.resident_invocations = 1024;
    const GraphLock lock;
    const Plan made = plan({x.node()}, {}, gl::unstored);
    EXPECT_EQ(made.kernels.size(), 1U);
    return lower::text_of(lower::lower(made.kernels.front(), target, &gl::unstored), target);
  }
  static bool is_by_lines(const Tensor& x) { return text_of(x).find("by lines") != std::string::npos; }
  static Tensor depthwise(const Shape& x, int64_t kernel) {
    const Tensor weights = uniform({x[1], 1, kernel, kernel}, 2).eval();
    return conv(uniform(x, 1).eval(), weights, {.padding = kernel / 2, .groups = x[1]});
  }
  static int64_t reads_of(const std::string& text, const std::string& block) {
    int64_t count = 0;
    for (size_t at = text.find(block + "[("); at != std::string::npos; at = text.find(block + "[(", at + 1)) ++count;
    return count;
  }
};

TEST_F(LineVectors, read_each_element_once_for_four_results) {
  for (const int64_t kernel : {3, 5}) {
    const std::string text = text_of(depthwise({2, 11, 8, 21}, kernel));
    EXPECT_NE(text.find("by lines"), std::string::npos);
    EXPECT_EQ(reads_of(text, "eg_b0"), kernel * (kernel + 3));
  }
}

TEST_F(LineVectors, are_of_rows_of_no_whole_vectors_and_four_lines_or_more) {
  EXPECT_TRUE(is_by_lines(depthwise({2, 11, 4, 21}, 3)));
  EXPECT_TRUE(is_by_lines(depthwise({2, 11, 9, 21}, 3)));
  EXPECT_FALSE(is_by_lines(depthwise({2, 11, 8, 20}, 3)));
  EXPECT_FALSE(is_by_lines(depthwise({2, 11, 3, 21}, 3)));
  EXPECT_FALSE(is_by_lines(depthwise({1, 2, 9, 21}, 3))) << "of too few results";
  const Tensor x = uniform({2, 11, 9, 21}, 1).eval();
  EXPECT_TRUE(is_by_lines(max_pool(x, 3, {.stride = 1, .padding = 1})));
  EXPECT_FALSE(is_by_lines(max_pool(x, 2, {.stride = 2, .padding = 1})));
}

/// Results of one window are lines that share it, unless the window's own lines share more.
TEST_F(LineVectors, of_several_results_of_one_window) {
  const auto convolved = [](const Shape& x, int axis, int64_t results, int64_t kernel) {
    const int64_t side = kernel / 2;
    std::vector<std::pair<int64_t, int64_t>> sides(4);
    sides[static_cast<size_t>(axis)] = {side, side};
    const Tensor padded = pad(uniform(x, 1).eval(), sides), w = uniform({1, results, kernel, 1}, 2).eval();
    Tensor sum;
    for (int64_t j = 0; j < kernel; ++j) {
      const Tensor product = padded.slice(axis, j, j + x[axis]) * w.slice(2, j, j + 1);
      sum = sum.defined() ? sum + product : product;
    }
    return text_of(sum);
  };
  for (const int axis : {3, 2}) {
    const std::string text = convolved({64, 1, 21, 21}, axis, 12, 5);
    EXPECT_NE(text.find("by lines"), std::string::npos);
    EXPECT_EQ(reads_of(text, "eg_b0"), axis == 3 ? 5 : 8);
  }
}

/// Places and weights are the same for all channels: an invocation computes them for four.
TEST_F(LineVectors, share_the_steps_of_computed_places) {
  const auto sampled = [](const Shape& x, const Shape& grid, Interpolation mode) {
    return grid_sample(uniform(x, 1).eval(), uniform(grid, 2).eval(), {.mode = mode});
  };
  EXPECT_TRUE(is_by_lines(sampled({2, 8, 5, 6, 7}, {2, 5, 6, 7, 3}, Interpolation::linear)));
  EXPECT_TRUE(is_by_lines(sampled({2, 9, 20, 21}, {2, 12, 11, 2}, Interpolation::linear)));
  EXPECT_TRUE(is_by_lines(sampled({2, 8, 20, 21}, {2, 12, 11, 2}, Interpolation::cubic)));
  EXPECT_FALSE(is_by_lines(sampled({2, 3, 20, 21}, {2, 20, 21, 2}, Interpolation::linear))) << "three channels";
  EXPECT_FALSE(is_by_lines(sampled({1, 8, 20, 21}, {1, 10, 11, 2}, Interpolation::linear))) << "of too few results";
}

}  // namespace
}  // namespace eglantine::test
