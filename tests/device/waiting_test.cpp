#include "backend/waiting.hpp"

#include <gtest/gtest.h>

#include <thread>

/// Spinning on another thread's flag.
namespace eglantine::test {
namespace {

using Spin = bool (*)(const std::atomic<bool>&, std::chrono::nanoseconds);

class Spinning : public ::testing::TestWithParam<Spin> {};

INSTANTIATE_TEST_SUITE_P(Waiting, Spinning, ::testing::Values(&spin, &spin_and_yield));

TEST_P(Spinning, sees_what_another_thread_sets) {
  std::atomic<bool> flag = false;
  std::thread other([&] { flag.store(true, std::memory_order_release); });
  EXPECT_TRUE(GetParam()(flag, std::chrono::minutes(10)));
  other.join();
}

TEST_P(Spinning, gives_up_when_the_time_is_over) {
  const std::atomic<bool> flag = false;
  EXPECT_FALSE(GetParam()(flag, std::chrono::milliseconds(1)));
}

TEST_P(Spinning, looks_once_without_time) {
  EXPECT_FALSE(GetParam()(false, std::chrono::nanoseconds(0)));
  EXPECT_TRUE(GetParam()(true, std::chrono::nanoseconds(0)));
}

}  // namespace
}  // namespace eglantine::test
