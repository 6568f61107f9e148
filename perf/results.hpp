#pragma once

#include <optional>

#include "perf/measure.hpp"
#include "perf/peaks.hpp"

namespace eglantine::perf {

/// A work and what came of it.
struct Result {
  Work work;
  std::string set;
  std::optional<Figures> figures;
  std::string problem;  ///< why there are no figures; "" when there are

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
