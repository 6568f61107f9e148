#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eglantine::test {

/// Whether exhaustive tests run a drawn share of their cases (EGLANTINE_TEST_CASES=drawn) instead of all.
bool draws_cases();

/// The seed of all draws of a run: EGLANTINE_TEST_SEED, else from the clock.
uint64_t draw_seed();

/// The environment that repeats this run's draws, in shell syntax.
std::string draw_settings();

/// Where cases are drawn, draws one of each `group` consecutive cases; else takes every case. Equal seeds and names
/// draw the same cases; over many seeds every case is drawn. A loop of fewer than `group` cases may draw none.
class Draw {
 public:
  Draw(uint64_t group, std::string_view name);
  Draw(uint64_t group, std::string_view name, uint64_t seed, bool draws);

  /// Whether to run the next case.
  bool next();

 private:
  uint64_t group_, state_;
  bool draws_;
  uint64_t place_ = 0, chosen_ = 0;
};

/// Named after the running test and the number of its earlier draws. On the test's own thread.
Draw draw_one_of(uint64_t group);

/// The same on a GL device, where nearly each case is a program to compile; on the CPU every case.
Draw draw_programs_one_of(uint64_t group);

}  // namespace eglantine::test
