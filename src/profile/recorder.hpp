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

/// What backends tell of the kernels they run, and who listens. Includes only the standard library.
namespace eglantine::profile {

/// A GL program: its name in the cache, and its GLSL.
struct ProgramRecord {
  std::string name, key, source;
};
using ProgramRecordPtr = std::shared_ptr<const ProgramRecord>;

enum class Track { kernels, host };

/// Nanoseconds of the host's steady clock.
struct Interval {
  int64_t start = 0, end = 0;
};

/// What one line of a trace is about.
struct Subject {
  std::string device = "";  ///< "gl:0 llvmpipe (LLVM 15.0.6, 256 bits)", "cpu (...)"
  Track track = Track::kernels;
  std::string name;  ///< describe() of a kernel; "upload", "compile map f32" on the host's track
  std::vector<ProgramRecordPtr> programs = {};  ///< one for each dispatch of the kernel, in order
  double bytes = 0;                             ///< read and written
  double operations = 0;
  bool host_clock = false;

  /// What makes two runs the same.
  auto key() const { return std::tie(device, track, name, programs, bytes, operations, host_clock); }
  bool operator<(const Subject& other) const { return key() < other.key(); }
};

/// Everything a recorder heard.
struct Recording {
  struct Total {
    Subject subject;
    int64_t runs = 0;
    int64_t nanoseconds = 0, shortest = 0, longest = 0;
  };
  struct Run {
    size_t total;           ///< which subject
    size_t first_interval;  ///< in `parts`
    size_t interval_count;  ///< dispatches of this run
  };
  std::vector<Total> totals;
  std::vector<Run> runs;            ///< the first most_runs of them
  std::vector<Interval> intervals;  ///< of all runs, one after another
  int64_t left_out = 0;
  int64_t start = 0;  ///< when recording began

  static constexpr size_t most_runs = 500'000;
};

class Recorder {
 public:
  Recorder();
  /// A run that the host began at `begun` took these intervals, at least one; they do not overlap and are in order.
  /// One that began before the recording is left out: times of devices come late, and other recorders wait for them.
  void add(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals);
  Recording take();

 private:
  std::mutex mutex_;
  std::map<Subject, size_t> numbers_;
  Recording recording_;
};

/// A recorder hears what is told from now on, until it is removed.
std::shared_ptr<Recorder> add_recorder();
void remove_recorder(const std::shared_ptr<Recorder>& recorder);

namespace detail {
extern std::atomic<int> recorder_count;
}
/// Somebody listens. All that a backend asks while nobody does.
inline bool is_on() { return detail::recorder_count.load(std::memory_order_relaxed) > 0; }

/// Tells every recorder.
void report(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals);

/// Now, in nanoseconds of the steady clock.
int64_t host_now();

}  // namespace eglantine::profile
