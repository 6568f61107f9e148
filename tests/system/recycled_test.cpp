#include <gtest/gtest.h>

#include <memory>

#include <thread>
#include <vector>

#include "system/recycled.hpp"

namespace eglantine::test {
namespace {

using Blocks = RecycledBlocks<40>;

TEST(RecycledBlocks, come_back_to_the_thread_that_freed_them) {
  void* first = Blocks::take();
  Blocks::put(first);
  void* again = Blocks::take();
  if (Blocks::most > 0) {
    EXPECT_EQ(again, first);
  }
  Blocks::put(again);
}

TEST(RecycledBlocks, are_freed_beyond_the_limit) {
  constexpr int count = Blocks::most + 100;
  std::vector<void*> taken;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < count; ++i) taken.push_back(Blocks::take());
    for (void* block : taken) Blocks::put(block);
    taken.clear();
  }
}

/// Also as threads end, whose lists end with them.
TEST(RecycledBlocks, may_be_freed_on_other_threads) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> taken(200);
    std::thread([&] {
      for (void*& block : taken) block = Blocks::take();
    }).join();
    std::thread([&] {
      for (void* block : taken) Blocks::put(block);
      for (void*& block : taken) block = Blocks::take();
    }).join();
    for (void* block : taken) Blocks::put(block);
  }
}

TEST(RecycledBlocks, hold_what_is_shared) {
  std::vector<std::shared_ptr<const std::vector<int>>> held;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 500; ++i)
      held.push_back(std::allocate_shared<const std::vector<int>>(RecyclingAllocator<std::vector<int>>(), 3, i));
    for (int i = 0; i < 500; ++i) EXPECT_EQ(held[static_cast<size_t>(i)]->back(), i);
    std::thread([&] { held.clear(); }).join();
  }
}

}  // namespace
}  // namespace eglantine::test
