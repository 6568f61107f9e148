#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perf/measure.hpp"
#include "perf/peaks.hpp"

namespace eglantine::perf {

/// A kernel that a call runs, as its profile says, and the seconds that it takes.
struct TimedKernel {
  std::string line;
  double seconds = 0;
};

/// A work and what came of it.
struct Result {
  Work work;
  std::string set;
  std::optional<Figures> figures;
  std::vector<TimedKernel> kernels = {};  ///< of a drawn work: the longest of one call
  std::string problem;                    ///< why there are no figures; "" when there are

  /// The spread that rates are made of: device time where there is one.
  const Spread& time() const { return figures->device.empty() ? figures->wall : figures->device; }
};

/// What a file of results says of the run.
struct Run {
  DeviceInfo device;
  Peaks peaks;
  std::string commit, date, command;
  Effort effort;
  std::vector<Result> results;
};

/// One line of the table under table_head().
std::string table_head();
std::string table_row(const Result& result, const Peaks& peaks);

/// perf/README.md says what is in it.
std::string json_of(const Run& run);

}  // namespace eglantine::perf
