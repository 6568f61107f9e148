#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "perf/measure.hpp"

namespace eglantine::perf {

/// The command line of eglantine_bench.
struct Options {
  std::string device;
  std::string sets;  ///< separated by commas; empty: the one for the device
  std::string filter = ".*";
  std::filesystem::path json;
  std::string commit, date;
  std::optional<Effort> effort;
  std::vector<uint64_t> seeds = {1};    ///< of drawn sets
  int64_t count = 100;                  ///< of works for each seed
  std::filesystem::path works, values;  ///< to be written: descriptions of drawn works; operands and results
  bool list = false, identify = false, help = false, peaks = true, tune = false;
  std::optional<std::string> first_result;  ///< only print this, on this device
};

extern const char* const usage;

/// Throws std::invalid_argument that says what is wrong.
Options parse_options(int count, char** arguments);

}  // namespace eglantine::perf
