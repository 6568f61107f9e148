#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <memory>

#include "backend/gl/execution/programs/program_cache.hpp"
#include "backend/gl/execution/timing/clock.hpp"
#include "backend/gl/execution/timing/watchdog.hpp"

namespace eglantine::gl {

/// Starts dispatches, whole or, where the watchdog requires it, in windows of groups. On a software device it waits for
/// dispatches that may take long; on a GPU it reads timestamps once they are available, and never waits.
class Launcher {
 public:
  /// limit_nanoseconds: the longest that a dispatch should take.
  Launcher(Context& context, Fences& fences, Clock& clock, ProgramCache& programs, const Target& target,
           int64_t limit_nanoseconds);

  void expect(double work) { watchdog_.expect(work); }  ///< of the kernel dispatched next (graph/kernel/cost.hpp)
  /// The expected time of that work on the device: 0 for little work, and before the first measurement.
  std::chrono::nanoseconds expected(const LinkedProgram& program) const {
    return std::chrono::nanoseconds{static_cast<int64_t>(watchdog_.expected(*program.rate))};
  }
  /// Runs the dispatch, whose program is current and whose buffers are bound. Returns the number of windows.
  int64_t launch(const Dispatch& dispatch, LinkedProgram& program);

 private:
  using Groups = std::array<uint32_t, 3>;
  struct Measurement {
    std::shared_ptr<Rate> rate;  ///< outlives its program
    double work;
    int64_t groups, count;
    Mark start, end;
  };
  LinkedProgram& windowed_program(const Dispatch& dispatch, LinkedProgram& whole);
  void run(const Groups& groups, const std::shared_ptr<Rate>& rate, int64_t all, int64_t count);
  void run_and_wait(const Groups& groups, Rate& rate, int64_t all, int64_t count);
  void run_between_marks(const Groups& groups, const std::shared_ptr<Rate>& rate, int64_t all, int64_t count);
  void collect();
  void start(const Groups& groups) { context_.gl().DispatchCompute(groups[0], groups[1], groups[2]); }

  Context& context_;
  Fences& fences_;
  Clock& clock_;
  ProgramCache& programs_;
  bool waits_;
  Watchdog watchdog_;
  std::deque<Measurement> measurements_;
};

}  // namespace eglantine::gl
