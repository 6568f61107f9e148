#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "support/random/draw.hpp"

/// Prints the environment that repeats this run's draws, at its start and after each failed test.
/// EGLANTINE_TEST_DRAWN_RUN names the number of runs that together make up the whole: where cases are drawn, this run
/// takes its share of the tests, as a shard, and llvmpipe compiles without optimisation, which takes less time. With
/// EGLANTINE_TEST_DRAWN_SHIFT it takes the share so many behind, so that two runs of as many shares take different
/// tests.
namespace eglantine::test {
namespace {

constexpr const char* compiler_setting = "GALLIVM_PERF";

void take_share() {
  const char* given = std::getenv("EGLANTINE_TEST_DRAWN_RUN");
  if (!draws_cases() || given == nullptr) return;
  const uint64_t shares = std::strtoull(given, nullptr, 10);
  if (shares < 2) return;
  setenv("GTEST_TOTAL_SHARDS", given, 0);
  const char* shift = std::getenv("EGLANTINE_TEST_DRAWN_SHIFT");
  const uint64_t share = draw_seed() + (shift == nullptr ? 0 : std::strtoull(shift, nullptr, 10));
  setenv("GTEST_SHARD_INDEX", std::to_string(share % shares).c_str(), 0);
  setenv(compiler_setting, "nopt", 0);
}

std::string compiler() {
  const char* given = std::getenv(compiler_setting);
  return given == nullptr ? "" : std::string(compiler_setting) + "=" + given + " ";
}

class DrawReport : public ::testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const ::testing::UnitTest&) override {
    if (draws_cases()) std::cout << "[ drawn    ] " << draw_settings() << "\n" << std::flush;
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (draws_cases() && test.result()->Failed())
      std::cout << "[ drawn    ] again: " << compiler() << draw_settings() << " eglantine_tests --gtest_filter='"
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
