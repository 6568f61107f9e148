#include "verbs/network/residues.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/array.hpp"

/// Which windows the positions of an axis meet, without a device.
namespace eglantine::test {
namespace {

using verbs::Residues;
using verbs::SpatialAxis;

/// By position: how often it meets which window with which place of the kernel.
using Meetings = std::map<int64_t, std::map<std::pair<int64_t, int64_t>, int64_t>>;

/// Counted from the windows.
Meetings taken(const SpatialAxis& axis) {
  Meetings all;
  for (int64_t window = 0; window < axis.outputs; ++window)
    for (int64_t place = 0; place < axis.window; ++place) {
      const int64_t at = window * axis.stride + place * axis.dilation - axis.before;
      if (at >= 0 && at < axis.length) ++all[at][{window, place}];
    }
  return all;
}

/// Counted from the positions. Fails for one that parts have twice, past the end, or that meets a place of no kernel.
Meetings met(const SpatialAxis& axis, const std::vector<Residues>& parts) {
  Meetings all;
  std::map<int64_t, int64_t> times;
  for (const Residues& part : parts)
    for_each_index({part.places, part.count}, [&](const Dims& at) {
      const int64_t position = at[0] * axis.stride + part.first + at[1];
      EXPECT_LT(position, axis.length);
      EXPECT_EQ(++times[position], 1);
      for (int64_t j = 0; j < part.taps; ++j) {
        const int64_t window = part.shift + at[0] + j * part.step, place = part.last - j * part.apart + at[1];
        EXPECT_TRUE(place >= 0 && place < axis.window);
        if (window >= 0 && window < axis.outputs) ++all[position][{window, place}];
      }
    });
  return all;
}

/// Every small combination of kernel, stride, dilation and padding in front, of axes and windows of several lengths.
template <class Visit>
void for_each_axis(Visit visit) {
  for_each_index({5, 5, 3, 6}, [&](const Dims& at) {
    for (const int64_t length : {1, 2, 5, 6, 11})
      for (const int64_t outputs : {1, 2, 5})
        visit(SpatialAxis{.length = length,
                          .window = at[0] + 1,
                          .stride = at[1] + 1,
                          .dilation = at[2] + 1,
                          .before = at[3],
                          .outputs = outputs});
  });
}

std::string described(const SpatialAxis& axis) {
  return text({axis.length, axis.window, axis.stride, axis.dilation, axis.before, axis.outputs});
}

TEST(Residues, meet_what_windows_take) {
  int64_t compared = 0;
  for_each_axis([&](const SpatialAxis& axis) {
    ASSERT_EQ(met(axis, verbs::without_waste(axis)), taken(axis)) << described(axis);
    const SpatialAxis own = verbs::with_own_residues(axis);
    ASSERT_EQ(met(own, verbs::without_waste(own)), taken(axis)) << described(axis);
    ++compared;
  });
  EXPECT_EQ(compared, 5 * 5 * 3 * 6 * 5 * 3);
}

TEST(Residues, one_by_one_are_the_same_positions) {
  for_each_axis([&](const SpatialAxis& axis) {
    const std::vector<Residues> parts = verbs::one_by_one(verbs::without_waste(axis), 16);
    ASSERT_EQ(met(axis, parts), taken(axis)) << described(axis);
    for (const Residues& part : parts) ASSERT_EQ(part.count, 1);
  });
}

TEST(Residues, are_few_parts) {
  for_each_axis([&](const SpatialAxis& axis) {
    const size_t most = axis.dilation == 1 ? 4 : static_cast<size_t>(axis.window);
    ASSERT_LE(verbs::without_waste(axis).size(), most) << described(axis);
  });
  const auto parts_of = [](int64_t window, int64_t stride, int64_t before, int64_t length) {
    return verbs::without_waste({.length = length, .window = window, .stride = stride, .before = before, .outputs = 5});
  };
  EXPECT_EQ(parts_of(2, 2, 0, 10).size(), 1U);
  EXPECT_EQ(parts_of(6, 3, 3, 15).size(), 1U);
  EXPECT_EQ(parts_of(4, 2, 1, 10).size(), 2U);
  EXPECT_EQ(parts_of(64, 32, 16, 160).size(), 2U);
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(verbs::one_by_one(parts_of(2 * large, large, 0, 2 * large), 16).size(), 1U) << "too many for one each";
}

/// A single window: each position meets one place, whatever the stride.
TEST(Residues, of_a_single_window_are_one_part_of_one_place) {
  const SpatialAxis axis{.length = 5, .window = 7, .stride = 1, .before = 1, .outputs = 1};
  const std::vector<Residues> parts = verbs::without_waste(verbs::with_own_residues(axis));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].taps, 1);
  EXPECT_EQ(parts[0].positions(), 5);
}

}  // namespace
}  // namespace eglantine::test
