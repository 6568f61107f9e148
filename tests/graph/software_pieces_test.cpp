#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/node.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// Pieces of a result on a software device whose memory is the host's: rows of any length are copied, never written by
/// atomics.
namespace eglantine::test {
namespace {

class SoftwarePieces : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  struct Steps {
    int copies = 0, dispatches = 0;
    bool has_atomics = false;
    bool operator==(const Steps&) const = default;
  };
  static Steps steps_of(const Tensor& x, bool maps_memory = true) {
    lower::Target target;
    target.software = target.packs_words = true;
    target.maps_memory = maps_memory;
    target.max_block_bytes = 1 << 27;
    target.resident_invocations = 1024;
    const GraphLock lock;
    Steps steps;
    DeviceLimits device;
    device.dense_pieces = maps_memory;
    for (const Kernel& kernel : plan({x.node()}, device, gl::unstored).kernels) {
      const lower::Lowered lowered = lower::lower(kernel, target, &gl::unstored);
      for (const lower::Step& step : lowered.steps)
        ++(std::holds_alternative<lower::Copy>(step) ? steps.copies : steps.dispatches);
      steps.has_atomics |= lower::text_of(lowered, target).find("atomicOr(") != std::string::npos;
    }
    return steps;
  }
  /// What reads a view, and writes it to memory.
  static Tensor copied(const Tensor& x) {
    return Tensor(make_elementwise(Op::copy, x.dtype(), {x.node(), nullptr, nullptr}));
  }
  static Tensor bytes(const Shape& shape) { return full(shape, 1, DType::i32).astype(DType::u8).eval(); }
  static Tensor booleans(const Shape& shape) { return gt(uniform(shape, 1), 0.5).eval(); }
  static Tensor halves(const Shape& shape) { return uniform(shape, 1).astype(DType::f16).eval(); }
  static Tensor floats(const Shape& shape) { return uniform(shape, 1).eval(); }
};

TEST_F(SoftwarePieces, that_lie_in_memory_are_copied) {
  for (const auto make : {bytes, booleans, halves, floats}) {
    EXPECT_EQ(steps_of(concatenate({make({1003, 3}), make({1003, 5}), make({1003, 1})}, 1)), (Steps{3, 0, false}));
    EXPECT_EQ(steps_of(stack(std::vector<Tensor>(7, make({1003, 2, 13})), 1)), (Steps{7, 0, false}));
    EXPECT_EQ(steps_of(stack(std::vector<Tensor>(20, make({1003})), 1)), (Steps{20, 0, false}));
    EXPECT_EQ(steps_of(concatenate({make({103, 27}).flip({1}), make({206, 27}).slice(0, 0, {}, 2)}, 1)),
              (Steps{2, 0, false}));
    EXPECT_EQ(steps_of(make({103, 27}).index_put({Slice{}, Slice{2, 9}}, make({103, 7}))), (Steps{2, 0, false}));
  }
}

TEST_F(SoftwarePieces, that_are_computed_are_made_dense_and_copied) {
  for (const auto make : {bytes, halves}) {
    const Tensor x = make({1003, 13});
    EXPECT_EQ(steps_of(concatenate({x + x, x * x}, 1)), (Steps{2, 2, false}));
    EXPECT_EQ(steps_of(stack({make({13, 1003}).transpose(0, 1), x}, 1)), (Steps{2, 1, false}));
  }
}

TEST_F(SoftwarePieces, of_booleans_are_computed_as_bytes) {
  const Tensor x = floats({1003, 13});
  EXPECT_EQ(steps_of(stack({gt(x, 0.5), lt(x, 0.2), booleans({1003, 13})}, 1)), (Steps{3, 2, false}));
}

/// Rows of words are dense first where they are a small part of the result.
TEST_F(SoftwarePieces, of_words_are_made_dense_where_they_lie_far_apart) {
  const Tensor x = floats({1003, 13});
  EXPECT_EQ(steps_of(stack({x + x, x * x}, 1)), (Steps{0, 2, false}));
  EXPECT_EQ(steps_of(stack({x + x, x * x, x - 1, x + 1, x + 2}, 1)), (Steps{5, 5, false}));
}

TEST_F(SoftwarePieces, that_are_rolled_or_padded_are_copied_box_by_box) {
  for (const auto make : {bytes, halves, floats}) {
    const Tensor x = make({1003, 13});
    EXPECT_EQ(steps_of(roll(x, 5, 1)), (Steps{2, 0, false}));
    EXPECT_EQ(steps_of(copied(roll(x, {5, 7}, {0, 1}))), (Steps{4, 0, false}));
    EXPECT_EQ(steps_of(copied(pad(x, {{1, 2}, {2, 1}}))), (Steps{1, 1, false})) << "over zeros";
    EXPECT_EQ(steps_of(copied(pad(x, {{0, 0}, {2, 1}}, PadMode::reflect))), (Steps{3, 0, false}));
  }
}

TEST_F(SoftwarePieces, are_for_kernels_where_memory_is_not_mapped) {
  const Tensor x = halves({1003, 13});
  EXPECT_EQ(steps_of(concatenate({x, x}, 1), false), (Steps{0, 2, true}));
  EXPECT_EQ(steps_of(concatenate({floats({1003, 13}), floats({1003, 5})}, 1), false), (Steps{0, 2, false}));
}

}  // namespace
}  // namespace eglantine::test
