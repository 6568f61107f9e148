#include "verbs/network/spatial.hpp"

#include <gtest/gtest.h>

#include "eglantine/error.hpp"
#include "support/compare.hpp"
#include "support/reference/naive_pooling.hpp"

/// The numbers of spatial axes, without a device.
namespace eglantine::test {
namespace {

using verbs::SpatialAxis;

SpatialAxis placed(const SpatialAxis& given, bool ceil_mode = false) {
  return verbs::with_outputs("pool", {1, 1, given.length}, given, ceil_mode);
}

/// Every small combination; -1 where there is no window.
TEST(SpatialAxes, outputs_are_those_counted_one_by_one) {
  int64_t compared = 0;
  for (int64_t length = 0; length < 8; ++length)
    for_each_index({4, 4, 3, 4, 4, 2}, [&](const Dims& at) {
      const SpatialAxis given{2, length, at[0] + 1, at[1] + 1, at[2] + 1, at[3], at[4]};
      const naive::PoolRule rule{
          {given.window}, {given.stride}, {given.dilation}, {{given.before, given.after}}, at[5] == 1};
      int64_t outputs = 0;
      try {
        outputs = placed(given, at[5] == 1).outputs;
      } catch (const ShapeError&) {
      }
      ASSERT_EQ(outputs, naive::windows_along(rule, 0, length)) << length << " " << text(at);
      ++compared;
    });
  EXPECT_EQ(compared, 8 * 4 * 4 * 3 * 4 * 4 * 2);
}

TEST(SpatialAxes, windows_of_padding_are_found_one_by_one) {
  for (int64_t length = 0; length < 6; ++length)
    for_each_index({3, 3, 4, 5, 4}, [&](const Dims& at) {
      SpatialAxis given{2, length, at[0] + 1, at[1] + 1, at[2] + 1, at[3], at[4]};
      const naive::PoolRule rule{{given.window}, {given.stride}, {given.dilation}, {{given.before, given.after}}};
      given.outputs = naive::windows_along(rule, 0, length);
      const Array x = iota(DType::f32, {length});
      std::optional<int64_t> first;
      for (int64_t o = given.outputs - 1; o >= 0; --o)
        if (naive::window_at(x, rule, {o}).values.empty()) first = o;
      ASSERT_EQ(verbs::window_of_padding(given), first) << length << " " << text(at);
    });
}

TEST(SpatialAxes, same_pads_to_ceil_of_length_by_stride) {
  for (int64_t length = 0; length < 12; ++length)
    for_each_index({5, 4, 3}, [&](const Dims& at) {
      const verbs::WindowRule rule{{at[0] + 1}, {at[1] + 1}, {at[2] + 1}, Padding::same};
      const SpatialAxis axis = verbs::spatial_axes("pool", {1, 1, length}, 2, rule).front();
      EXPECT_EQ(axis.outputs, (length + at[1]) / (at[1] + 1));
      EXPECT_TRUE(axis.after == axis.before || axis.after == axis.before + 1);
      if (axis.outputs == 0) return;
      EXPECT_EQ(placed(axis).outputs, axis.outputs) << length << " " << text(at);
    });
}

TEST(SpatialAxes, what_lies_behind_the_axis) {
  EXPECT_EQ(placed({2, 4, 3, 2, 1, 0, 0}, true).behind(), 1);
  EXPECT_EQ(placed({2, 4, 3, 2, 1, 0, 0}).behind(), 0);
  EXPECT_EQ(placed({2, 5, 3, 2, 1, 1, 1}).behind(), 1);
  EXPECT_EQ(placed({2, 6, 3, 2, 1, 1, 1}).behind(), 0);  // whose last place no window reaches
}

TEST(PerAxisNumbers, of_one_for_all_and_of_each) {
  const Shape shape{1, 2, 5, 6};
  EXPECT_EQ(verbs::per_axis("f", "n", 3, shape, 2), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(verbs::per_axis("f", "n", {3, 4}, shape, 2), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(verbs::per_axis("f", "n", std::vector<int64_t>{3, 4}, shape, 2), (std::vector<int64_t>{3, 4}));
  EXPECT_ERROR(verbs::per_axis("f", "n", {3}, shape, 2), ShapeError,
               "[f] n is (3,), which is not one number for each of the 2 spatial axes of (1, 2, 5, 6)");
  EXPECT_ERROR(verbs::per_axis("f", "n", 0, shape, 2), ShapeError, "[f] n of axis 2 is 0; it is at least 1");
  EXPECT_ERROR(PerAxis(UINT64_MAX), ShapeError, "[PerAxis] 18446744073709551615 is beyond int64_t");
  EXPECT_ERROR(Pads(UINT64_MAX), ShapeError, "[PerAxis] 18446744073709551615 is beyond int64_t");
}

TEST(PerAxisNumbers, of_pads_in_every_form) {
  const auto pads = [](const Pads& given) {
    const verbs::WindowRule rule{{3, 3}, {1, 1}, {1, 1}, given};
    std::vector<int64_t> sides;
    for (const SpatialAxis& axis : verbs::spatial_axes("f", {1, 1, 5, 5}, 2, rule))
      sides.insert(sides.end(), {axis.before, axis.after});
    return sides;
  };
  EXPECT_EQ(pads(2), (std::vector<int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(pads({{1, 2}, {3, 4}}), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(pads(Pads::Pairs{{1, 2}, {3, 4}}), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(pads(Padding::valid), (std::vector<int64_t>(4, 0)));
  EXPECT_EQ(pads(Padding::same), (std::vector<int64_t>(4, 1)));
  EXPECT_EQ(pads({}), (std::vector<int64_t>(4, 0)));
}

}  // namespace
}  // namespace eglantine::test
