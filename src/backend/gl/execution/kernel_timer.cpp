#include "backend/gl/execution/kernel_timer.hpp"

#include <exception>
#include <utility>

namespace eglantine::gl {

namespace {

// Asking a driver whether a query has arrived is not free, and a ring of many kernels costs nothing.
constexpr size_t kernels_between_looks = 16, most_pending = 4096;

}  // namespace

KernelTimer::~KernelTimer() {
  try {
    if (!context_.lost()) settle();
  } catch (const std::exception&) {
    // The device is going, and may be the reason; its last kernels stay untold.
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
  if (!current_.parts.empty()) pending_.push_back(std::move(current_));
  if (pending_.size() >= most_pending) settle();
  if (pending_.size() % kernels_between_looks == 0) collect();
}

/// Without timer queries, the time of the thread that submits: waiting for the device after each kernel would change
/// what is measured.
Mark KernelTimer::mark() { return clock_.is_of_device() ? clock_.mark() : Mark{.nanoseconds = profile::host_now()}; }

void KernelTimer::before_dispatch(const Dispatch& dispatch) {
  current_.subject.programs.push_back(program_of(dispatch));
  before_part();
}

void KernelTimer::before_part() { current_.parts.push_back({mark(), {}}); }

void KernelTimer::after_part() { current_.parts.back().end = mark(); }

profile::ProgramPtr KernelTimer::program_of(const Dispatch& dispatch) {
  profile::ProgramPtr& program = programs_[dispatch.program];
  if (program == nullptr)
    program = std::make_shared<profile::Program>(
        profile::Program{dispatch.name, dispatch.program->key(), dispatch.program->text(target_)});
  return program;
}

void KernelTimer::compiled(const std::string& name, int64_t start) const {
  profile::Subject subject{.device = current_.subject.device, .track = profile::Track::host, .name = "compile " + name};
  profile::tell(subject, start, {{start, profile::host_now()}});
}

void KernelTimer::collect() {
  while (!pending_.empty() && clock_.is_reached(pending_.front().parts.back().end)) {
    tell(pending_.front());
    pending_.pop_front();
  }
}

void KernelTimer::settle() {
  if (!pending_.empty()) clock_.now();
  collect();
}

void KernelTimer::drop(const Run& run) {
  for (const Part& part : run.parts) {
    clock_.drop(part.start);
    clock_.drop(part.end);
  }
}

/// GLES: the clock jumped since the last look (the device changed its frequency, slept), and times across that are
/// worth nothing.
bool KernelTimer::was_interrupted() const {
  if (!context_.version().gles || !clock_.is_of_device()) return false;
  GLint disjoint = GL_FALSE;
  context_.gl().GetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
  return disjoint != GL_FALSE;
}

void KernelTimer::tell(const Run& run) {
  if (was_interrupted()) return drop(run);
  const int64_t offset = clock_.host_offset();
  std::vector<profile::Interval> parts;
  for (const Part& part : run.parts)
    parts.push_back({clock_.take(part.start) + offset, clock_.take(part.end) + offset});
  profile::tell(run.subject, run.begun, parts);
}

}  // namespace eglantine::gl
