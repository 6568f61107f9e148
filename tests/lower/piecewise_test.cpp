#include "lower/piecewise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>

#include "backend/gl/lowered.hpp"
#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/plan.hpp"
#include "support/devices.hpp"

/// Piecewise reads of operands that are larger than a binding.
namespace eglantine::test {
namespace {

class FarReads : public ::testing::Test {
 protected:
  void SetUp() override { Device::set_current(open_device("cpu")); }

  /// What the only kernel of x is lowered to.
  lower::Lowered lowered(const Tensor& x) const {
    lower::Target target;
    target.max_block_bytes = bytes_of_a_block_;
    target.resident_invocations = 4096;
    target.software = software_;
    const GraphLock lock;
    const Plan made = plan({x.node()}, {}, gl::unstored);
    EXPECT_EQ(made.kernels.size(), 1U);
    return lower::lower(made.kernels.front(), target, &gl::unstored);
  }
  static Tensor in_memory(const Shape& shape) { return (zeros(shape) + 1).eval(); }

  int64_t bytes_of_a_block_ = 65536;
  bool software_ = false;
};

TEST_F(FarReads, are_cut_where_the_halves_reach_the_least) {
  // Rows of a table far apart, most of those read the first or the last one.
  const Tensor x = in_memory({256, 1024}).slice(1, 0, 64);
  const std::vector<std::pair<int64_t, int64_t>> both = {{128, 128}, {0, 0}};
  // A binding holds fifteen rows: of 256, and of 512 where each row of the result reads another one.
  EXPECT_LE(lowered(pad(x, both, PadMode::constant, 3)).steps.size(), 40U);
  EXPECT_LE(lowered(pad(x, both, PadMode::edge)).steps.size(), 40U);
  for (const PadMode mode : {PadMode::reflect, PadMode::wrap})
    EXPECT_LE(lowered(pad(x, both, mode)).steps.size(), 128U) << static_cast<int>(mode);
  EXPECT_LE(lowered(roll(x, 64, 0)).steps.size(), 40U);
}

TEST_F(FarReads, that_many_elements_share_are_computed_once) {
  const int64_t n = 40000;
  const Tensor row = in_memory({n}), y = in_memory({50, n + 7});
  const Tensor spread = pad(row, {{3, 4}}, PadMode::constant, 2).expand({50, n + 7});
  int64_t largest = 0;
  for (const lower::Temporary& x : lowered(sum(spread * y, {1})).temporaries)
    largest = std::max(largest, x.buffer->bytes());
  EXPECT_GE(largest, (n + 7) * 4) << "the padded row is computed apart";
  EXPECT_LT(largest, 2 * (n + 7) * 4) << "and not fifty times";
}

/// How many of the steps' kernels are called `name`, and whether these are all.
bool are_all(const lower::Lowered& lowered, size_t count, const std::string& name) {
  return lowered.steps.size() == count &&
         std::all_of(lowered.steps.begin(), lowered.steps.end(), [&](const auto& step) {
           const auto* dispatch = std::get_if<lower::Dispatch>(&step);
           return dispatch != nullptr && dispatch->name.starts_with(name);
         });
}

TEST_F(FarReads, of_transposed_operands_are_transposed_piece_by_piece) {
  bytes_of_a_block_ = int64_t{1} << 30;
  const Tensor x = in_memory({3, 700, 1100});
  EXPECT_TRUE(are_all(lowered(roll(x.permute({0, 2, 1}), 50, 2)), 2, "map_transpose"));
  EXPECT_TRUE(are_all(lowered(roll(x.permute({0, 2, 1}), {5, 9}, {1, 2})), 4, "map_transpose"));
  EXPECT_TRUE(are_all(lowered(roll(x, 5, 2)), 1, "map f32")) << "as it lies in memory";
  EXPECT_TRUE(are_all(lowered(roll(x.permute({0, 2, 1}), 50, 2) * 2 + 1), 2, "map_transpose"));
  const Tensor bytes = x.astype(DType::u8).eval(), little = x.slice(1, 0, 50).permute({0, 2, 1});
  EXPECT_EQ(lowered(roll(little, 5, 2)).steps.size(), 1U) << "too little for two dispatches";
  EXPECT_TRUE(are_all(lowered(roll(bytes.permute({0, 2, 1}), 50, 2)), 2, "map_transpose"));
  EXPECT_TRUE(are_all(lowered(pad(bytes.permute({0, 2, 1}), {{0, 0}, {0, 0}, {400, 0}})), 1, "map i32"))
      << "many elements without a source, whose words are written in parts";
}

/// Whether copies by the driver follow one dispatch.
bool copies_over_zeros(const lower::Lowered& lowered, size_t copies) {
  if (lowered.steps.size() != copies + 1) return false;
  const auto is_copy = [](const auto& step) { return std::holds_alternative<lower::Copy>(step); };
  return std::holds_alternative<lower::Dispatch>(lowered.steps.front()) &&
         std::all_of(lowered.steps.begin() + 1, lowered.steps.end(), is_copy);
}

TEST_F(FarReads, of_narrow_elements_are_copied_over_zeros_by_software_devices) {
  bytes_of_a_block_ = int64_t{1} << 30;
  software_ = true;
  const Tensor x = in_memory({3, 40, 2, 151}), halves = x.astype(DType::f16).eval();
  const std::vector<std::pair<int64_t, int64_t>> ends = {{1, 1}, {0, 2}, {2, 1}, {1, 3}};
  EXPECT_TRUE(copies_over_zeros(lowered(pad(halves, ends)), 1));
  EXPECT_TRUE(copies_over_zeros(lowered(pad(halves.slice(3, 10, 150), ends)), 1)) << "rows from elsewhere";
  EXPECT_TRUE(are_all(lowered(pad(halves.slice(3, 0, 100), ends)), 1, "map")) << "short rows";
  EXPECT_TRUE(are_all(lowered(pad(halves, ends, 1)), 1, "map")) << "around ones";
  EXPECT_TRUE(are_all(lowered(pad(halves.permute({0, 2, 3, 1}), ends)), 1, "map")) << "of another order";
  const Tensor wide = in_memory({3, 4, 2, 600});
  EXPECT_TRUE(copies_over_zeros(lowered(pad(wide, {{1, 1}, {1, 2}, {2, 1}, {1, 3}})), 1)) << "81 boxes";
}

/// All of a stencil's views share a tile where none of them wraps around, which is everywhere but at the edges.
TEST_F(FarReads, of_a_transposed_stencil_wrap_around_at_its_edges_alone) {
  bytes_of_a_block_ = int64_t{1} << 30;
  const auto around = [](const Tensor& x) { return roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1); };
  const Tensor x = in_memory({1100, 1300});
  const lower::Lowered edges = lowered(around(x.permute({1, 0})));
  EXPECT_EQ(edges.steps.size(), 9U);
  const auto is_shared = [](const auto& step) {
    const auto* dispatch = std::get_if<lower::Dispatch>(&step);
    return dispatch != nullptr && dispatch->name.starts_with("map_permute");
  };
  EXPECT_TRUE(std::ranges::any_of(edges.steps, is_shared));
  EXPECT_TRUE(are_all(lowered(around(x)), 1, "map f32")) << "as it lies in memory";
}

}  // namespace
}  // namespace eglantine::test
