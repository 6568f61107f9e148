#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "perf/peaks.hpp"
#include "system/thread_pool.hpp"

namespace eglantine::perf {

namespace {

using Time = std::chrono::steady_clock;

/// The least seconds of several runs of `work(thread)` on as many threads as the CPU backend has.
template <class F>
double best_seconds(int threads, int runs, F work) {
  double best = 1e30;
  for (int run = 0; run < runs; ++run) {
    const auto start = Time::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& thread : others) thread.join();
    best = std::min(best, std::chrono::duration<double>(Time::now() - start).count());
  }
  return best;
}

double copy_rate(int threads) {
  constexpr size_t bytes = size_t{256} << 20;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  const size_t share = bytes / static_cast<size_t>(threads);
  const double seconds = best_seconds(threads, 7, [&](int thread) {
    const size_t start = static_cast<size_t>(thread) * share;
    std::memcpy(to.data() + start, from.data() + start, share);
  });
  return 2.0 * static_cast<double>(share * static_cast<size_t>(threads)) / seconds;
}

constexpr int chain_count = 128;  // enough chains for 8 vectors of AVX-512
constexpr int64_t rounds = 2'000'000;

/// Chains a = a * x + y, as many as keep the units busy. One copy for each instruction set, chosen at run time.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3,fp-contract=fast"))) void
run_chains(float* chains, float x, float y) {
  float a[chain_count];
  for (int i = 0; i < chain_count; ++i) a[i] = chains[i];
  for (int64_t round = 0; round < rounds; ++round)
    for (int i = 0; i < chain_count; ++i) a[i] = a[i] * x + y;
  for (int i = 0; i < chain_count; ++i) chains[i] = a[i];
}

double arithmetic_rate(int threads) {
  std::vector<float> chains(static_cast<size_t>(chain_count * threads), 1.0F);
  const double seconds =
      best_seconds(threads, 5, [&](int thread) { run_chains(chains.data() + chain_count * thread, 0.999F, 0.001F); });
  return 2.0 * chain_count * static_cast<double>(rounds) * threads / seconds;
}

}  // namespace

Peaks cpu_peaks() {
  const int threads = thread_count("cpu_peaks");
  return {copy_rate(threads), arithmetic_rate(threads)};
}

Peaks measure_peaks(const Device& device) {
  return device.info().kind == "cpu" ? cpu_peaks() : gl_peaks(device.info());
}

}  // namespace eglantine::perf
