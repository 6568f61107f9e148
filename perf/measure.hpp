#pragma once

#include "perf/work.hpp"

namespace eglantine::perf {

/// How long to measure.
struct Effort {
  double warm_seconds = 1;      ///< calls before the first sample: compilation, pools, and clocks that were idle
  double sample_seconds = 0.1;  ///< a sample is as many calls as take this long
  int samples = 9;
};

/// Samples in seconds of one step, sorted.
class Spread {
 public:
  Spread() = default;
  explicit Spread(std::vector<double> samples);
  double at(double share) const;  ///< 0: least, 0.5: median, 1: most; between two samples by their distance
  double median() const { return at(0.5); }
  bool empty() const { return samples_.empty(); }
  size_t count() const { return samples_.size(); }

 private:
  std::vector<double> samples_;
};

struct Figures {
  Spread device;  ///< between two timestamps of the device around the calls of a sample; empty for works of the host
  Spread wall;    ///< of calls each waited for: from the verb to the end of synchronize()
  Spread caller;  ///< processor time of the calling thread, which a device waits for where that is longer than its own
  int64_t calls = 0;       ///< in a sample of device time
  int64_t peak_bytes = 0;  ///< the most that tensors held during the samples, inputs and held results included
};

/// Runs the calls of a work in turn. Throws what the kernels throw.
Figures measure(const Work& work, const Prepared& prepared, const Device& device, const Effort& effort);

}  // namespace eglantine::perf
