#include "system/recent_map.hpp"

#include <gtest/gtest.h>

#include <string>

namespace eglantine::test {
namespace {

TEST(RecentMap, drops_what_was_not_used_for_longest) {
  RecentMap<std::string, int, std::hash<std::string>> map;
  map.add("a", 1);
  map.add("b", 2);
  map.add("c", 3);
  EXPECT_EQ(map.oldest().first, "a");
  ASSERT_NE(map.use("a"), nullptr);
  EXPECT_EQ(map.oldest().first, "b");
  map.drop_oldest();
  EXPECT_EQ(map.use("b"), nullptr);
  EXPECT_EQ(*map.use("a"), 1);
  EXPECT_EQ(*map.use("c"), 3);
  EXPECT_EQ(map.size(), 2U);
}

TEST(RecentMap, values_stay_where_they_are) {
  RecentMap<int, int, std::hash<int>> map;
  int* first = &map.add(0, 10);
  for (int i = 1; i < 1000; ++i) map.add(i, 10 + i);
  EXPECT_EQ(map.use(0), first);
  map.clear();
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.use(0), nullptr);
}

}  // namespace
}  // namespace eglantine::test
