#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// Pieces of a result on hardware: one kernel that writes whole words where kernels of a piece each share them.
namespace eglantine::test {
namespace {

class NarrowPieces : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  struct Planned {
    size_t kernels;
    std::string text;  ///< of them all
  };
  static Planned planned(const Tensor& x) {
    lower::Target target;
    target.max_block_bytes = 1 << 27;
    target.resident_invocations = 1024;
    DeviceLimits device;
    device.line = 32;
    const GraphLock lock;
    const Plan made = plan({x.node()}, device, gl::unstored);
    std::string text;
    for (const Kernel& kernel : made.kernels)
      text += lower::text_of(lower::lower(kernel, target, &gl::unstored), target);
    return {made.kernels.size(), text};
  }
  static Tensor bytes(const Shape& shape) { return full(shape, 1, DType::i32).astype(DType::u8).eval(); }
  static Tensor halves(const Shape& shape) { return uniform(shape, 1).astype(DType::f16).eval(); }
  static void expect_words(const Tensor& x, size_t kernels) {
    const Planned made = planned(x);
    EXPECT_EQ(made.kernels, kernels);
    EXPECT_EQ(made.text.find("atomicOr("), std::string::npos);
  }
};

TEST_F(NarrowPieces, are_written_by_whole_words) {
  for (const auto make : {bytes, halves}) {
    expect_words(stack({make({1003}), make({1003})}, 1), 1);
    expect_words(stack({make({41, 27}), make({41, 27}), make({41, 27})}, 1), 1);
    expect_words(stack(std::vector<Tensor>(7, make({1003})), 1), 1);
    expect_words(concatenate({make({1003, 3}), make({1003, 5}), make({1003, 1})}, 1), 1);
    expect_words(concatenate({make({103, 2, 77}), make({103, 5, 77})}, 1), 1);
    expect_words(concatenate({make({1003, 4}) + 1, make({1003, 8})}, 1), 1);
  }
}

TEST_F(NarrowPieces, of_long_rows_of_whole_words_stay_kernels_of_their_own) {
  const Planned made = planned(concatenate({bytes({103, 132}), bytes({103, 128})}, 1));
  EXPECT_EQ(made.kernels, 2U);
  EXPECT_EQ(made.text.find("atomicOr("), std::string::npos);
  EXPECT_EQ(planned(concatenate({bytes({70001}), bytes({70001})}, 0)).kernels, 2U);
  EXPECT_EQ(planned(stack({halves({2, 20, 4, 33}), halves({2, 20, 4, 33})}, 1)).kernels, 2U) << "of 2640 elements";
  EXPECT_EQ(planned(stack({halves({2, 20, 3, 33}), halves({2, 20, 3, 33})}, 1)).kernels, 2U) << "of 1980 elements";
  EXPECT_EQ(planned(stack({halves({2, 21, 3, 33}), halves({2, 21, 3, 33})}, 1)).kernels, 1U) << "of 2079 elements";
}

/// Of words, kernels of one piece each would write parts of lines.
TEST_F(NarrowPieces, of_words_in_short_rows_are_one_kernel) {
  const Tensor x = uniform({1003, 3}, 1).eval(), y = uniform({1003, 5}, 2).eval(), rows = uniform({103, 32}, 3).eval();
  EXPECT_EQ(planned(concatenate({x, y}, 1)).kernels, 1U);
  EXPECT_EQ(planned(stack(std::vector<Tensor>(5, x), 1)).kernels, 1U);
  EXPECT_EQ(planned(concatenate({rows, rows, rows, rows, rows}, 1)).kernels, 5U);
  EXPECT_EQ(planned(concatenate({x, uniform({5, 1003}, 2).eval().transpose(0, 1)}, 1)).kernels, 2U);
}

/// Longer rows of words share the sectors of memory at their ends, but for whole ones; of long rows these are few.
TEST_F(NarrowPieces, of_words_in_rows_of_parts_of_sectors_are_one_kernel) {
  const auto kernels = [&](int64_t row, size_t count) {
    std::vector<Tensor> pieces;
    for (size_t i = 0; i < count; ++i) pieces.push_back(uniform({103, row}, i + 1).eval());
    return planned(concatenate(pieces, 1)).kernels;
  };
  EXPECT_EQ(kernels(145, 4), 1U);
  EXPECT_EQ(kernels(45, 2), 1U);
  EXPECT_EQ(kernels(48, 2), 2U);
  EXPECT_EQ(kernels(145, 5), 5U);
  EXPECT_EQ(kernels(1001, 2), 2U);
  const Tensor x = uniform({1003, 45}, 1).eval(), across = uniform({45, 1003}, 2).eval().transpose(0, 1);
  EXPECT_EQ(planned(concatenate({x, across}, 1)).kernels, 2U);
}

TEST_F(NarrowPieces, that_are_transposed_are_put_in_order_first) {
  const Tensor x = bytes({64, 100}).transpose(0, 1), y = bytes({64, 100}).transpose(0, 1);
  expect_words(stack({x, y}, 2), 3);
  expect_words(concatenate({x.slice(1, 0, 60), y}, 1), 3);
}

TEST_F(NarrowPieces, that_are_a_small_part_are_written_beside_the_rest) {
  const Tensor x = bytes({1003, 333}), few = bytes({3, 5});
  EXPECT_EQ(planned(x.index_put({Slice{0, 3}, Slice{0, 5}}, few)).kernels, 2U);
}

}  // namespace
}  // namespace eglantine::test
