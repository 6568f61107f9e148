#pragma once

#include <cstdint>

namespace eglantine::gl {

/// The measured speed of a program.
struct Rate {
  double nanoseconds_per_element =
      0;  ///< of its kernel's work, extrapolated to all groups; 0 before the first measurement
};

/// Plans a dispatch's groups to stay below a time limit: drivers kill longer ones and the device. Independent of GL.
class Watchdog {
 public:
  /// `measures_as_it_goes`: the caller waits for each dispatch and calls measured() at once, so that even a program's
  /// first dispatch can be cut. `fewest_groups`: the groups that keep the device busy.
  Watchdog(int64_t limit_nanoseconds, bool measures_as_it_goes, int64_t fewest_groups)
      : limit_(limit_nanoseconds), measures_as_it_goes_(measures_as_it_goes), fewest_groups_(fewest_groups) {}

  void expect(double work) { work_ = work; }  ///< the next kernel's elements or multiplications; 0: too few to matter

  /// The groups of the next dispatch, where `left` of `groups` groups remain.
  int64_t groups_of_next(const Rate& rate, int64_t groups, int64_t left) const;
  bool wants_time(const Rate& rate, int64_t groups, int64_t count) const;  ///< whether to measure the next `count`
  /// Updates the rate: `count` of `groups` groups of a kernel with `work` took `nanoseconds`.
  static void measured(Rate& rate, double work, int64_t groups, int64_t count, int64_t nanoseconds);
  double work() const { return work_; }
  /// The expected time of a kernel with the current work, in nanoseconds; 0 before the first measurement.
  double expected(const Rate& rate) const { return predicted(rate, 1, 1); }

 private:
  bool watches() const { return work_ >= (measures_as_it_goes_ ? little_work : much_work); }
  double predicted(const Rate& rate, int64_t groups, int64_t count) const;

  // Elements that take less than half a second in any kernel: on the CPU, and on a GPU.
  static constexpr double little_work = 1 << 16, much_work = 1 << 26;

  int64_t limit_;
  bool measures_as_it_goes_;
  int64_t fewest_groups_;
  double work_ = 0;
};

int64_t longest_dispatch();  ///< in ns: $EGLANTINE_LONGEST_DISPATCH, else half a second

}  // namespace eglantine::gl
