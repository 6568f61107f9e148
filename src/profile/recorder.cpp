#include "profile/recorder.hpp"

#include <algorithm>
#include <chrono>

namespace eglantine::profile {

namespace detail {
std::atomic<int> recorder_count = 0;
}

namespace {

/// Never destroyed: a worker may report its last kernel while the process ends.
struct Recorders {
  std::mutex mutex;
  std::vector<std::shared_ptr<Recorder>> list;
};

Recorders& all() {
  static auto& instance = *new Recorders;
  return instance;
}

}  // namespace

int64_t host_now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

Recorder::Recorder() { recording_.start = host_now(); }

void Recorder::add(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals) {
  const std::scoped_lock lock(mutex_);
  if (begun < recording_.start) return;
  const auto [known, is_new] = numbers_.try_emplace(subject, recording_.totals.size());
  if (is_new) recording_.totals.push_back({subject});
  int64_t took = 0;
  for (const Interval& interval : intervals) took += interval.end - interval.start;
  Recording::Total& total = recording_.totals[known->second];
  total.shortest = total.runs == 0 ? took : std::min(total.shortest, took);
  total.longest = std::max(total.longest, took);
  total.nanoseconds += took;
  ++total.runs;
  if (recording_.runs.size() == Recording::most_runs) return void(++recording_.left_out);
  recording_.runs.push_back({known->second, recording_.intervals.size(), intervals.size()});
  recording_.intervals.insert(recording_.intervals.end(), intervals.begin(), intervals.end());
}

Recording Recorder::take() {
  const std::scoped_lock lock(mutex_);
  return std::move(recording_);
}

std::shared_ptr<Recorder> add_recorder() {
  auto recorder = std::make_shared<Recorder>();
  const std::scoped_lock lock(all().mutex);
  all().list.push_back(recorder);
  ++detail::recorder_count;
  return recorder;
}

void remove_recorder(const std::shared_ptr<Recorder>& recorder) {
  const std::scoped_lock lock(all().mutex);
  detail::recorder_count -= static_cast<int>(std::erase(all().list, recorder));
}

void report(const Subject& subject, int64_t begun, const std::vector<Interval>& intervals) {
  const std::scoped_lock lock(all().mutex);
  for (const auto& recorder : all().list) recorder->add(subject, begun, intervals);
}

}  // namespace eglantine::profile
