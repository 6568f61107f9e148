#include "backend/waiting.hpp"

#include <gtest/gtest.h>

#include <thread>

/// Waiting for another thread's flag without sleeping.
namespace eglantine::test {
namespace {

using Watch = bool (*)(const std::atomic<bool>&, std::chrono::nanoseconds);

class Watching : public ::testing::TestWithParam<Watch> {};

INSTANTIATE_TEST_SUITE_P(Waiting, Watching, ::testing::Values(&watch, &watch_and_yield));

TEST_P(Watching, sees_what_another_thread_sets) {
  std::atomic<bool> flag = false;
  std::thread other([&] { flag.store(true, std::memory_order_release); });
  EXPECT_TRUE(GetParam()(flag, std::chrono::minutes(10)));
  other.join();
}

TEST_P(Watching, gives_up_when_patience_is_over) {
  const std::atomic<bool> flag = false;
  EXPECT_FALSE(GetParam()(flag, std::chrono::milliseconds(1)));
}

TEST_P(Watching, looks_once_without_patience) {
  EXPECT_FALSE(GetParam()(false, std::chrono::nanoseconds(0)));
  EXPECT_TRUE(GetParam()(true, std::chrono::nanoseconds(0)));
}

}  // namespace
}  // namespace eglantine::test
