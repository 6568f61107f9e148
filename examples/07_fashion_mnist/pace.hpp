#pragma once

#include <cstdint>

/// How fast steps are. The first ones measured count only while there are no others: kernels are compiled in them.
class Pace {
 public:
  void add(int64_t steps, double seconds);
  /// 0 where nothing was measured.
  double seconds_per_step() const;

 private:
  int64_t measured_ = 0, steps_ = 0;
  double seconds_ = 0;
};
