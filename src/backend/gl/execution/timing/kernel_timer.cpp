#include "backend/gl/execution/timing/kernel_timer.hpp"

#include <exception>
#include <utility>

namespace eglantine::gl {

namespace {

// Polling a query costs driver time, so it happens once every few kernels; the pending ones cost nothing.
constexpr size_t kernels_between_looks = 16, most_pending = 4096;

}  // namespace

KernelTimer::~KernelTimer() {
  try {
    if (!context_.lost()) settle();
  } catch (const std::exception&) {  // the device is being destroyed, maybe as the cause; last kernels stay unreported
  }
}

void KernelTimer::time(profile::Subject kernel, const std::function<void()>& run) {
  current_ = {std::move(kernel), profile::host_now(), {}};
  current_.subject.host_clock = !clock_.is_of_device();
  timing_ = true;
  try {
    run();
  } catch (...) {
    timing_ = false;
    drop(current_);
    throw;
  }
  timing_ = false;
  if (!current_.intervals.empty()) pending_.push_back(std::move(current_));
  if (pending_.size() >= most_pending) settle();
  if (pending_.size() % kernels_between_looks == 0) collect();
}

/// Without timer queries, the submitting thread's time: a wait after each kernel would change the times.
Mark KernelTimer::mark() { return clock_.is_of_device() ? clock_.mark() : Mark{.nanoseconds = profile::host_now()}; }

void KernelTimer::begin_interval(profile::ProgramRecordPtr program) {
  current_.subject.programs.push_back(std::move(program));
  current_.intervals.push_back({mark(), {}});
}

void KernelTimer::end_interval() { current_.intervals.back().end = mark(); }

profile::ProgramRecordPtr KernelTimer::program_of(const Dispatch& dispatch) {
  profile::ProgramRecordPtr& program = programs_[dispatch.program];
  if (program == nullptr)
    program = std::make_shared<profile::ProgramRecord>(
        profile::ProgramRecord{dispatch.name, dispatch.program->key(), dispatch.program->text(target_)});
  return program;
}

void KernelTimer::compiled(const std::string& name, int64_t start) const {
  profile::Subject subject{.device = current_.subject.device, .track = profile::Track::host, .name = "compile " + name};
  profile::report(subject, start, {{start, profile::host_now()}});
}

void KernelTimer::collect() {
  while (!pending_.empty() && clock_.is_reached(pending_.front().intervals.back().end)) {
    report(pending_.front());
    pending_.pop_front();
  }
}

void KernelTimer::settle() {
  if (!pending_.empty()) clock_.now();
  collect();
}

void KernelTimer::drop(const TimedKernel& kernel) {
  for (const MarkedInterval& interval : kernel.intervals) {
    clock_.drop(interval.start);
    clock_.drop(interval.end);
  }
}

/// GLES: the clock was discontinuous since the last query (a change of frequency, a sleep): such times are invalid.
bool KernelTimer::was_interrupted() const {
  if (!context_.version().gles || !clock_.is_of_device()) return false;
  GLint disjoint = GL_FALSE;
  context_.gl().GetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
  return disjoint != GL_FALSE;
}

void KernelTimer::report(const TimedKernel& kernel) {
  if (was_interrupted()) return drop(kernel);
  const int64_t offset = clock_.host_offset();
  std::vector<profile::Interval> intervals;
  for (const MarkedInterval& interval : kernel.intervals)
    intervals.push_back({clock_.take(interval.start) + offset, clock_.take(interval.end) + offset});
  profile::report(kernel.subject, kernel.begun, intervals);
}

}  // namespace eglantine::gl
