#include <chrono>

#include "backend/device_state.hpp"
#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

int64_t timestamp(const Device& device) {
  int64_t now = 0;
  device.state()->queue().call([&](Backend& backend) { now = backend.timestamp(); });
  return now;
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Timing measure(const Work& work, const Device& device, int rounds) {
  Timing timing;
  const double calls = static_cast<double>(rounds) * static_cast<double>(work.calls.size());
  // Results are held until the end of a round, so that the pool hands out other memory than what was just written.
  std::vector<Tensor> results;
  const int64_t begin = timestamp(device);
  for (int round = 0; round < rounds; ++round) {
    for (const auto& call : work.calls) results.push_back(call().eval());
    results.clear();
  }
  timing.device_seconds = static_cast<double>(timestamp(device) - begin) * 1e-9 / calls;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < rounds; ++round)
    for (const auto& call : work.calls) call().eval().device().synchronize();
  timing.wall_seconds = since(start) / calls;
  return timing;
}

}  // namespace eglantine::perf
