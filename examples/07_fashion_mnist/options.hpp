#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

/// What the command line asks for.
struct Options {
  std::string device;
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";
  std::filesystem::path report = "report.html";
  std::filesystem::path losses;  ///< where to write every loss, one a line; nowhere when empty
  int64_t epochs = 4;
  int64_t batch = 128;
  int64_t steps = 0;   ///< stop after so many steps; 0 for all
  bool quick = false;  ///< stop after 60, where steps is 0
  uint64_t seed = 1;
  bool help = false;
};

/// What --help prints.
std::string usage();

/// Throws std::invalid_argument, saying what is wrong, for an option that is unknown, lacks its value, or is out of
/// range.
Options parse_options(int count, char** arguments);
