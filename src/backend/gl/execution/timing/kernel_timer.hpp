#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/gl/execution/timing/clock.hpp"
#include "backend/gl/lowered.hpp"
#include "profile/recorder.hpp"

namespace eglantine::gl {

/// Times profiled kernels: a mark before and after each dispatch, read several kernels later, so that nothing waits.
class KernelTimer {
 public:
  KernelTimer(Context& context, Clock& clock, const Target& target)
      : context_(context), clock_(clock), target_(target) {}
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  /// Times `run`, which runs a kernel and calls the functions below for its dispatches. Exceptions pass through.
  void time(profile::Subject kernel, const std::function<void()>& run);

  bool is_timing() const { return timing_; }
  /// Around each dispatch, or copies, but not around the compilation of its program.
  void before_dispatch(const Dispatch& dispatch) { begin_interval(program_of(dispatch)); }
  void before_copies() { begin_interval(nullptr); }
  void end_interval();
  void compiled(const std::string& name, int64_t start) const;  ///< a program, from `start` (host clock) until now

  /// The program was deleted: drops its record, which reported kernels may still share.
  void remove_program(const lower::ProgramPtr& program) { programs_.erase(program); }

  void collect();  ///< reports the kernels whose times are available; does not wait
  void settle();   ///< reports all kernels; waits

 private:
  struct MarkedInterval {
    Mark start, end;
  };
  struct TimedKernel {
    profile::Subject subject;
    int64_t begun = 0;  ///< on the host's clock
    std::vector<MarkedInterval> intervals;
  };
  void begin_interval(profile::ProgramRecordPtr program);
  Mark mark();
  profile::ProgramRecordPtr program_of(const Dispatch& dispatch);
  void drop(const TimedKernel& kernel);
  void report(const TimedKernel& kernel);
  bool was_interrupted() const;

  Context& context_;
  Clock& clock_;
  const Target& target_;
  bool timing_ = false;
  TimedKernel current_;
  std::deque<TimedKernel> pending_;
  std::unordered_map<lower::ProgramPtr, profile::ProgramRecordPtr, lower::SameProgram, lower::SameProgram> programs_;
};

}  // namespace eglantine::gl
