#include "backend/gl/execution/launcher.hpp"

#include <algorithm>

#include "profile/recorder.hpp"

namespace eglantine::gl {
namespace {

constexpr int64_t smallest_group = 64;  // windows of such groups that fill the resident invocations keep a GPU busy
constexpr size_t most_measurements = 16;

int64_t fewest_groups(const Target& target) {
  return target.software ? 1 : std::max<int64_t>(1, target.resident_invocations / smallest_group);
}

}  // namespace

Launcher::Launcher(Context& context, Fences& fences, Clock& clock, ProgramCache& programs, const Target& target,
                   int64_t limit_nanoseconds)
    : context_(context),
      fences_(fences),
      clock_(clock),
      programs_(programs),
      waits_(target.software),
      watchdog_(limit_nanoseconds, waits_, fewest_groups(target)) {}

int64_t Launcher::launch(const Dispatch& dispatch, LinkedProgram& program) {
  collect();
  const auto longest = std::max_element(dispatch.groups.begin(), dispatch.groups.end());
  const auto axis = static_cast<size_t>(longest - dispatch.groups.begin());
  const int64_t all = *longest;
  const std::shared_ptr<Rate> rate = program.rate;
  const bool whole = watchdog_.groups_of_next(*rate, all, all) == all;
  LinkedProgram& windowed = whole ? program : windowed_program(dispatch, program);
  if (whole || !windowed.takes_windows()) {
    run(dispatch.groups, rate, all, all);
    return 1;
  }
  int64_t windows = 0;
  for (int64_t first = 0, count = 0; first < all; first += count, ++windows) {
    count = watchdog_.groups_of_next(*rate, all, all - first);
    if (first > 0) context_.gl().MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);  // groups may read earlier results
    programs_.set_window(windowed, axis, {first, count, all});
    Groups groups = dispatch.groups;
    groups[axis] = static_cast<uint32_t>(count);
    run(groups, rate, all, count);
  }
  programs_.set_window(windowed, axis, {0, all, all});
  return windows;
}

/// On a GPU a program is compiled for windows only when it turns out to be slow.
LinkedProgram& Launcher::windowed_program(const Dispatch& dispatch, LinkedProgram& whole) {
  if (whole.takes_windows()) return whole;
  LinkedProgram& windowed = programs_.use_windowed(dispatch);
  if (!windowed.takes_windows()) programs_.use(dispatch);
  return windowed;
}

void Launcher::run(const Groups& groups, const std::shared_ptr<Rate>& rate, int64_t all, int64_t count) {
  if (!watchdog_.wants_time(*rate, all, count)) return start(groups);
  waits_ ? run_and_wait(groups, *rate, all, count) : run_between_marks(groups, rate, all, count);
}

void Launcher::run_and_wait(const Groups& groups, Rate& rate, int64_t all, int64_t count) {
  const int64_t before = profile::host_now();
  start(groups);
  fences_.wait(fences_.insert());
  Watchdog::measured(rate, watchdog_.work(), all, count, profile::host_now() - before);
}

void Launcher::run_between_marks(const Groups& groups, const std::shared_ptr<Rate>& rate, int64_t all, int64_t count) {
  if (!clock_.is_of_device() || measurements_.size() >= most_measurements) return start(groups);
  const Mark before = clock_.mark();
  start(groups);
  measurements_.push_back({rate, watchdog_.work(), all, count, before, clock_.mark()});
}

void Launcher::collect() {
  while (!measurements_.empty() && clock_.is_reached(measurements_.front().end)) {
    const Measurement& done = measurements_.front();
    const int64_t before = clock_.take(done.start), after = clock_.take(done.end);
    Watchdog::measured(*done.rate, done.work, done.groups, done.count, after - before);
    measurements_.pop_front();
  }
}

}  // namespace eglantine::gl
