#pragma once

#include <filesystem>
#include <optional>
#include <string>

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
  bool list = false, identify = false, help = false, peaks = true, tune = false;
  std::optional<std::string> first_result;  ///< only print this, on this device
};

extern const char* const usage;

/// Throws std::invalid_argument that says what is wrong.
Options parse_options(int count, char** arguments);

}  // namespace eglantine::perf
