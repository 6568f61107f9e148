#pragma once

#include <cstdint>
#include <string>

/// What the command line asks for.
struct Options {
  std::string device;
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string report = "report.html";
  std::string losses;  ///< where to write every loss, one a line; nowhere when empty
  int64_t epochs = 4;
  int64_t batch = 128;
  int64_t steps = 0;   ///< stop after so many steps; 0 for all
  bool quick = false;  ///< stop after 60, where steps is 0
  int64_t seed = 1;
};

/// Ends the program after --help, and where something is wrong, as take_options() does.
Options read_options(int count, char** arguments);
