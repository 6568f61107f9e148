#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What backends report of the kernels that they run, and the recorders. Includes only the standard library.
namespace eglantine::profile {

/// A GL program: its name, its key and its GLSL.
struct ProgramRecord {
  std::string name, key, source;
};
using ProgramRecordPtr = std::shared_ptr<const ProgramRecord>;

enum class Track { kernels, host };

/// Nanoseconds of the host's steady clock.
struct Interval {
  int64_t start = 0, end = 0;
};

/// What a line of a trace describes.
struct Subject {
  std::string device = "";  ///< "gl:0 llvmpipe (LLVM 15.0.6, 256 bits)", "cpu (...)"
  Track track = Track::kernels;
  std::string name;  ///< describe() of a kernel; "upload", "compile map f32" on the host's track
  std::vector<ProgramRecordPtr> programs = {};  ///< of each interval, in order: null of copies; or none
  double bytes = 0;                             ///< read and written
  double operations = 0;
  bool host_clock = false;

  /// Runs with equal keys are counted together.
  auto key() const { return std::tie(device, track, name, programs, bytes, operations, host_clock); }
  bool operator<(const Subject& other) const { return key() < other.key(); }
};

/// Everything that a recorder received.
struct Recording {
  struct Total {
    Subject subject;
    int64_t runs = 0;
    int64_t nanoseconds = 0, shortest = 0, longest = 0;
  };
  struct Run {
    size_t total;           ///< index of its subject
    size_t first_interval;  ///< in `intervals`
    size_t interval_count;  ///< one for each dispatch of this run
  };
  std::vector<Total> totals;
  std::vector<Run> runs;            ///< the first most_runs runs
  std::vector<Interval> intervals;  ///< of all runs, in order
  int64_t left_out = 0;
  int64_t start = 0;  ///< when the recording began

  static constexpr size_t most_runs = 500'000;
};

class Recorder {
 public:
  Recorder();
  /// Adds a run that began at `begun` on the host, with its intervals: at least one, in order, not overlapping. Ignores
  /// a run that began before the recording: device times arrive late, and may have been requested for another recorder.
  void add(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals);
  Recording take();

 private:
  std::mutex mutex_;
  std::map<Subject, size_t> numbers_;
  Recording recording_;
};

std::shared_ptr<Recorder> add_recorder();  ///< records all reports until it is removed
void remove_recorder(const std::shared_ptr<Recorder>& recorder);

namespace detail {
extern std::atomic<int> recorder_count;
}
/// Whether there are recorders; all that a backend checks otherwise.
inline bool is_on() { return detail::recorder_count.load(std::memory_order_relaxed) > 0; }

/// Reports a run to every recorder.
void report(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals);

int64_t host_now();  ///< the steady clock, in nanoseconds

}  // namespace eglantine::profile
