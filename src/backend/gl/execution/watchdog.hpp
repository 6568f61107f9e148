#pragma once

#include <cstdint>

namespace eglantine::gl {

/// The measured speed of a program.
struct Rate {
  double nanoseconds_per_element =
      0;  ///< of its kernel's work, extrapolated to all groups; 0 before the first measurement
};

/// Plans the groups of a dispatch so that none takes longer than a limit: drivers kill long dispatches, and the device
/// with them. Independent of GL.
class Watchdog {
 public:
  /// `measures_as_it_goes`: the caller waits for each dispatch and calls measured() at once, so that even a program's
  /// first dispatch can be cut. `fewest_groups`: the groups that keep the device busy.
  Watchdog(int64_t limit_nanoseconds, bool measures_as_it_goes, int64_t fewest_groups)
      : limit_(limit_nanoseconds), measures_as_it_goes_(measures_as_it_goes), fewest_groups_(fewest_groups) {}

  /// Sets the work of the kernel whose dispatches come next: elements, or multiplications. 0: too little to matter.
  void expect(double work) { work_ = work; }

  /// The groups of the next dispatch, where `left` of `groups` groups remain.
  int64_t groups_of_next(const Rate& rate, int64_t groups, int64_t left) const;
  /// Whether the next dispatch of `count` of `groups` groups should be measured.
  bool wants_time(const Rate& rate, int64_t groups, int64_t count) const;
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

/// $EGLANTINE_LONGEST_DISPATCH in nanoseconds, else half a second.
int64_t longest_dispatch();

}  // namespace eglantine::gl
