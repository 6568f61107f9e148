#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eglantine::test {

/// Whether exhaustive tests run a drawn share of their cases (EGLANTINE_TEST_CASES=drawn), or every one.
bool draws_cases();

/// The seed of what is drawn: EGLANTINE_TEST_SEED, else of the clock; one for the whole run.
uint64_t draw_seed();

/// The environment in which a run draws the same cases again, as a shell takes it.
std::string draw_settings();

/// Draws one of each `group` cases in a row where cases are drawn, and takes every case elsewhere. Equal seeds and
/// names draw the same; over many seeds every case is drawn. A loop of fewer cases than `group` may draw none.
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

/// Named by the test that runs, and by how many it has made before. On the test's own thread.
Draw draw_one_of(uint64_t group);

}  // namespace eglantine::test
