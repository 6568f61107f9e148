#include "layout/axis_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace eglantine::layout {
namespace {

using Places = std::vector<int64_t>;

/// The coordinate of each element; -1 where it has none.
Places places(const AxisMap& map) {
  Places result(static_cast<size_t>(map.length), -1);
  for (size_t k = 0; k < map.pieces.size(); ++k)
    for (int64_t i = map.pieces[k].start; i < map.end_of(k); ++i) result[static_cast<size_t>(i)] = map.pieces[k].at(i);
  return result;
}

Places through(const Places& outer, const Places& inner) {
  Places result;
  for (int64_t place : outer) result.push_back(place < 0 ? -1 : inner[static_cast<size_t>(place)]);
  return result;
}

AxisMap padded(int64_t length, int64_t before, int64_t after) {
  return {before + length + after, before, before + length, {{before, 0, 1}}};
}
AxisMap rolled(int64_t length, int64_t by) { return {length, 0, length, {{0, length - by, 1}, {by, 0, 1}}}; }
AxisMap mirrored(int64_t length, int64_t by) { return {by + length, 0, by + length, {{0, by, -1}, {by, 0, 1}}}; }
AxisMap edged(int64_t length, int64_t by) { return {by + length, 0, by + length, {{0, 0, 0}, {by, 0, 1}}}; }

TEST(AxisMap, says_what_it_is) {
  EXPECT_TRUE(identity(5).is_identity());
  EXPECT_TRUE(identity(5).is_total());
  EXPECT_FALSE(padded(5, 1, 0).is_total());
  EXPECT_FALSE(rolled(5, 2).is_identity());
  EXPECT_EQ(places(rolled(5, 2)), (Places{3, 4, 0, 1, 2}));
  EXPECT_EQ(places(mirrored(4, 2)), (Places{2, 1, 0, 1, 2, 3}));
  EXPECT_EQ(places(padded(2, 1, 2)), (Places{-1, 0, 1, -1, -1}));
}

TEST(AxisMap, a_map_of_a_map_has_the_coordinates_of_both) {
  for (const AxisMap& inner : {identity(7), rolled(7, 3), mirrored(5, 2), edged(6, 1), padded(4, 2, 1)})
    for (const AxisMap& outer :
         {identity(7), rolled(7, 1), rolled(7, 6), mirrored(7, 4), edged(7, 3), padded(7, 1, 2)}) {
      const std::optional<AxisMap> both = compose(outer, inner);
      const Places wanted = through(places(outer), places(inner));
      if (both) {
        EXPECT_EQ(places(*both), wanted);
      }
      const bool has_holes = !inner.is_total() && !outer.is_identity() && outer.pieces.size() > 1;
      EXPECT_TRUE(both || has_holes);
    }
}

TEST(AxisMap, pieces_that_continue_each_other_are_one) {
  EXPECT_TRUE(compose(rolled(7, 3), rolled(7, 4))->is_identity());
  EXPECT_EQ(compose(padded(5, 1, 1), padded(4, 1, 0))->pieces.size(), 1U);
}

TEST(AxisMap, holes_and_too_many_pieces_are_no_map) {
  EXPECT_FALSE(compose(rolled(7, 3), padded(4, 2, 1)));
  AxisMap map = mirrored(2, 1);
  for (int i = 0; i < 20; ++i) {
    const std::optional<AxisMap> next = compose(mirrored(map.length, map.length - 1), map);
    if (!next) return;
    EXPECT_EQ(places(*next), through(places(mirrored(map.length, map.length - 1)), places(map)));
    map = *next;
  }
  FAIL() << "mirrors of mirrors take ever more pieces";
}

}  // namespace
}  // namespace eglantine::layout
