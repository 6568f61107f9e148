#include "support/random/draw.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "eglantine/device.hpp"

namespace eglantine::test {

namespace {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
uint64_t next_word(uint64_t& state) {
  uint64_t x = state += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// FNV-1a: the same with every library, unlike std::hash.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

uint64_t seed_of_run() {
  if (const char* given = std::getenv("EGLANTINE_TEST_SEED"); given != nullptr && *given != '\0')
    return std::strtoull(given, nullptr, 10);
  return static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::seconds(1));
}

}  // namespace

bool draws_cases() {
  static const bool draws = [] {
    const char* cases = std::getenv("EGLANTINE_TEST_CASES");
    const std::string_view wanted = cases != nullptr ? cases : "";
    if (wanted != "" && wanted != "all" && wanted != "drawn")
      throw std::invalid_argument("EGLANTINE_TEST_CASES is \"all\" or \"drawn\", not \"" + std::string(wanted) + "\"");
    return wanted == "drawn";
  }();
  return draws;
}

uint64_t draw_seed() {
  static const uint64_t seed = seed_of_run();
  return seed;
}

std::string draw_settings() { return "EGLANTINE_TEST_CASES=drawn EGLANTINE_TEST_SEED=" + std::to_string(draw_seed()); }

Draw::Draw(uint64_t group, std::string_view name) : Draw(group, name, draw_seed(), draws_cases()) {}

Draw::Draw(uint64_t group, std::string_view name, uint64_t seed, bool draws)
    : group_(group), state_(seed ^ hash_of(name)), draws_(draws) {}

bool Draw::next() {
  if (!draws_) return true;
  if (place_ == 0) chosen_ = next_word(state_) % group_;
  const bool taken = place_ == chosen_;
  place_ = (place_ + 1) % group_;
  return taken;
}

Draw draw_one_of(uint64_t group) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) throw std::logic_error("no test runs to draw for");
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  static std::string last;
  static int loops = 0;
  loops = name == last ? loops + 1 : 0;
  last = name;
  return {group, name + " " + std::to_string(loops)};
}

Draw draw_programs_one_of(uint64_t group) {
  return Device::current().info().kind == "cpu" ? Draw(1, "") : draw_one_of(group);
}

}  // namespace eglantine::test
