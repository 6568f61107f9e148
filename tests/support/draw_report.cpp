#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "support/random/draw.hpp"

/// Says in which environment this run's draws are repeated: when it starts, and after each test that fails. A run that
/// repeats what another ran, under harder conditions, names with EGLANTINE_TEST_DRAWN_RUN how many such runs make up
/// the whole: where cases are drawn, it takes that share of its tests, as a shard.
namespace eglantine::test {
namespace {

void take_share() {
  const char* given = std::getenv("EGLANTINE_TEST_DRAWN_RUN");
  if (!draws_cases() || given == nullptr) return;
  const uint64_t shares = std::strtoull(given, nullptr, 10);
  if (shares < 2) return;
  setenv("GTEST_TOTAL_SHARDS", given, 0);
  setenv("GTEST_SHARD_INDEX", std::to_string(draw_seed() % shares).c_str(), 0);
}

class DrawReport : public ::testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const ::testing::UnitTest&) override {
    if (draws_cases()) std::cout << "[ drawn    ] " << draw_settings() << "\n" << std::flush;
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (draws_cases() && test.result()->Failed())
      std::cout << "[ drawn    ] again: " << draw_settings() << " eglantine_tests --gtest_filter='"
                << test.test_suite_name() << "." << test.name() << "'\n"
                << std::flush;
  }
};

// Before main() reads the environment.
const bool registered = [] {
  take_share();
  ::testing::UnitTest::GetInstance()->listeners().Append(new DrawReport);
  return true;
}();

}  // namespace
}  // namespace eglantine::test
