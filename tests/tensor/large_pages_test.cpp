#include "system/large_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "system/main_memory.hpp"

namespace eglantine::test {
namespace {

TEST(LargePages, hold_as_many_zeros_as_were_asked_for) {
  for (const size_t bytes : {size_t{0}, size_t{4}, 2 * large_page - 4, 2 * large_page, 5 * large_page + 4100}) {
    const auto values = fresh_vector<uint32_t>(bytes / 4, "test");
    EXPECT_EQ(values.size(), bytes / 4);
    EXPECT_EQ(std::count(values.begin(), values.end(), 0), static_cast<int64_t>(bytes / 4));
  }
}

TEST(LargePages, change_nothing_that_is_there_already) {
  std::vector<uint8_t> values(4 * large_page);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i % 251);
  for (const size_t start : {size_t{0}, size_t{1}, size_t{4097}})
    ask_for_large_pages(values.data() + start, values.size() - start);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i % 251) << "at " << i;
}

}  // namespace
}  // namespace eglantine::test
