#include "profile/recorder.hpp"

#include <algorithm>
#include <chrono>

namespace eglantine::profile {

namespace detail {
std::atomic<int> listeners = 0;
}

namespace {

/// Never destroyed: a worker may tell of its last kernel while the process ends.
struct Listeners {
  std::mutex mutex;
  std::vector<std::shared_ptr<Recorder>> recorders;
};

Listeners& all() {
  static auto& listeners = *new Listeners;
  return listeners;
}

}  // namespace

int64_t host_now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

Recorder::Recorder() { recording_.start = host_now(); }

void Recorder::add(const Subject& subject, int64_t begun, const std::vector<Interval>& parts) {
  const std::scoped_lock lock(mutex_);
  if (begun < recording_.start) return;
  const auto [known, is_new] = numbers_.try_emplace(subject, recording_.totals.size());
  if (is_new) recording_.totals.push_back({subject});
  int64_t took = 0;
  for (const Interval& part : parts) took += part.end - part.start;
  Recording::Total& total = recording_.totals[known->second];
  total.shortest = total.runs == 0 ? took : std::min(total.shortest, took);
  total.longest = std::max(total.longest, took);
  total.nanoseconds += took;
  ++total.runs;
  if (recording_.runs.size() == Recording::most_runs) return void(++recording_.left_out);
  recording_.runs.push_back({known->second, recording_.parts.size(), parts.size()});
  recording_.parts.insert(recording_.parts.end(), parts.begin(), parts.end());
}

Recording Recorder::take() {
  const std::scoped_lock lock(mutex_);
  return std::move(recording_);
}

std::shared_ptr<Recorder> add_recorder() {
  auto recorder = std::make_shared<Recorder>();
  const std::scoped_lock lock(all().mutex);
  all().recorders.push_back(recorder);
  ++detail::listeners;
  return recorder;
}

void remove_recorder(const std::shared_ptr<Recorder>& recorder) {
  const std::scoped_lock lock(all().mutex);
  detail::listeners -= static_cast<int>(std::erase(all().recorders, recorder));
}

void tell(const Subject& subject, int64_t begun, const std::vector<Interval>& parts) {
  const std::scoped_lock lock(all().mutex);
  for (const auto& recorder : all().recorders) recorder->add(subject, begun, parts);
}

}  // namespace eglantine::profile
