#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "support/devices.hpp"

/// Compiling a GL program takes 20 to 140 ms on a software driver with a cold cache, so the test program has a budget
/// of programs.
namespace eglantine::test {
namespace {

constexpr int64_t most_programs = 6000;

class ProgramCount : public ::testing::Environment {
 public:
  void TearDown() override {
    int64_t programs = 0;
    const std::vector<std::string> specs = device_specs();
    for (const std::string& spec : std::set<std::string>(specs.begin(), specs.end()))
      programs += statistics(open_device(spec)).programs;
    std::cout << "[ programs ] " << programs << " GL programs compiled, of " << most_programs << " allowed\n";
    EXPECT_LE(programs, most_programs) << "draw tests from fewer structures";
  }
};

const auto* const environment = ::testing::AddGlobalTestEnvironment(new ProgramCount);

}  // namespace
}  // namespace eglantine::test
