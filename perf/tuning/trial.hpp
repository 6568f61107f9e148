#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/gl/execution/gl_runtime.hpp"
#include "graph/kernel/kernel.hpp"
#include "lower/contraction/schedule/tuning.hpp"

namespace eglantine::perf {

using TuningPtr = std::shared_ptr<const lower::Tuning>;

/// One thing that a schedule chooses, and a tuning that says nothing else.
struct Choice {
  std::string text;
  TuningPtr tuning;
};

/// A work on the device whose schedule tuning may choose.
class Trial {
 public:
  virtual ~Trial() = default;
  virtual std::string name() const = 0;             ///< as in a tuning file, before the choice
  virtual std::vector<Choice> choices() const = 0;  ///< without the library's own
  virtual double tolerance() const = 0;             ///< how far two right results may lie apart
  virtual std::vector<float> results_with(const TuningPtr& tuning) const;

  /// Works for a while: an H200's clock is low for a third of a second after a program was compiled.
  void warm_up() const;
  /// Seconds of one run of what was compiled before: the median of several rows of them, or of a few runs where that is
  /// far above `least` already.
  double seconds_with(const TuningPtr& tuning, double least = 1e30) const;

 protected:
  explicit Trial(gl::GlRuntime& device) : device_(device) {}

  BufferPtr buffer(int64_t bytes) const;
  BufferPtr uploaded(std::vector<std::byte> bytes) const;
  BufferPtr random_floats(int64_t count, uint32_t seed) const;  ///< in [-1, 1)
  Strided results_over(const Shape& shape) const;
  gl::Target untuned() const;
  bool software() const { return device_.target().software; }

  std::vector<Kernel> kernels_;  ///< run in turn, over inputs that no cache holds together
  Strided first_results_;        ///< those of the first one

 private:
  double timed(const gl::Target& target, int count) const;

  gl::GlRuntime& device_;
};

/// Bytes of random numbers, the same for a seed.
std::vector<std::byte> random_bytes(int64_t count, uint32_t seed);

/// What tuning tries on a kind of device: how many trials there are, and the i-th.
size_t product_trials(bool software);
std::unique_ptr<Trial> product_trial(gl::GlRuntime& device, size_t i);
size_t few_columns_trials(bool software);
std::unique_ptr<Trial> few_columns_trial(gl::GlRuntime& device, size_t i);

}  // namespace eglantine::perf
