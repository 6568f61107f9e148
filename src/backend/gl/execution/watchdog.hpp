#pragma once

#include <cstdint>

namespace eglantine::gl {

/// How long a program took, as last measured.
struct Rate {
  double nanoseconds_per_element =
      0;  ///< for an element of its kernel's work, if all groups had run; 0 before the first time
};

/// Plans how many groups run in one dispatch, so that none takes longer than a limit: drivers end long dispatches, and
/// the device with them. Knows nothing of GL.
class Watchdog {
 public:
  /// `measures_as_it_goes`: whoever dispatches waits for each part and tells at once what it took, so that a program's
  /// first dispatch can be cut too. `fewest_groups`: what a part must have to keep the device busy.
  Watchdog(int64_t limit_nanoseconds, bool measures_as_it_goes, int64_t fewest_groups)
      : limit_(limit_nanoseconds), measures_as_it_goes_(measures_as_it_goes), fewest_groups_(fewest_groups) {}

  /// Of the kernel whose dispatches come next: elements, or multiplications of a product. 0: too few to care.
  void expect(double work) { work_ = work; }

  /// Of the `left` of `groups` groups, those that the next dispatch should have.
  int64_t groups_of_next(const Rate& rate, int64_t groups, int64_t left) const;
  /// Whether the next dispatch of `count` of `groups` groups should be measured.
  bool wants_time(const Rate& rate, int64_t groups, int64_t count) const;
  /// That dispatch took so long, of a kernel with `work`.
  static void measured(Rate& rate, double work, int64_t groups, int64_t count, int64_t nanoseconds);
  double work() const { return work_; }
  /// What a kernel with that work takes, in nanoseconds; 0 before the first time.
  double expected(const Rate& rate) const { return predicted(rate, 1, 1); }

 private:
  bool watches() const { return work_ >= (measures_as_it_goes_ ? little_work : much_work); }
  double predicted(const Rate& rate, int64_t groups, int64_t count) const;

  // Elements that take no half second, whatever is done to them: on the CPU, and on a GPU.
  static constexpr double little_work = 1 << 16, much_work = 1 << 26;

  int64_t limit_;
  bool measures_as_it_goes_;
  int64_t fewest_groups_;
  double work_ = 0;
};

/// $EGLANTINE_LONGEST_DISPATCH in nanoseconds, else half a second.
int64_t longest_dispatch();

}  // namespace eglantine::gl
