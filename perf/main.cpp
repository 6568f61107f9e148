// eglantine_perf: the classic set, scans and indices on a GL device beside the CPU backend, through Google Benchmark
// (its options work: --benchmark_filter, --benchmark_format=json). Each figure is one call: wall time from the verb to
// the end of synchronize(), and device time between two of the device's timestamps.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <iostream>
#include <map>

#include "perf/work.hpp"

namespace eglantine::perf {

namespace {

struct Row {
  Timing gl, cpu;
  double bytes = 0, operations = 0;
};

std::map<std::string, Row> table;
std::vector<std::string> order;

void report(benchmark::State& state, const Work& work, const Timing& timing) {
  state.counters["device_us"] = timing.device_seconds * 1e6;
  if (work.bytes > 0) state.counters["GB_per_s"] = work.bytes / timing.device_seconds * 1e-9;
  if (work.operations > 0) state.counters["GFLOP_per_s"] = work.operations / timing.device_seconds * 1e-9;
}

void run(benchmark::State& state, const Work& work, const Device& device, bool gl) {
  measure(work, device, 3);  // compiles, fills the pool, wakes the clocks
  Timing last;
  for (auto _ : state) {
    last = measure(work, device, 10);
    state.SetIterationTime(last.wall_seconds);
  }
  report(state, work, last);
  if (!table.count(work.name)) order.push_back(work.name);
  Row& row = table[work.name];
  (gl ? row.gl : row.cpu) = last;
  row.bytes = work.bytes;
  row.operations = work.operations;
}

void register_works(const Device& device, bool gl) {
  std::vector<Work> works = classic_works(device);
  for (Work& work : scan_works(device)) works.push_back(std::move(work));
  for (Work& work : index_works(device)) works.push_back(std::move(work));
  for (const Work& work : works) {
    const std::string name = work.name + (gl ? "/gl" : "/cpu");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, work, device, gl); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(3);
  }
}

void print_table(const Device& gl) {
  std::printf("\nmicroseconds a call: %s beside the CPU backend\n", gl.info().name.c_str());
  std::printf("%-32s %12s %12s %12s %14s %9s\n", "work", "GL device", "GL wall", "CPU wall", "GL rate", "CPU / GL");
  for (const std::string& name : order) {
    const Row& row = table[name];
    const bool flops = row.operations > 0;
    const double rate =
        row.gl.device_seconds > 0 ? (flops ? row.operations : row.bytes) / row.gl.device_seconds * 1e-9 : 0;
    std::printf("%-32s %12.1f %12.1f %12.1f %7.2f %s %9.2f\n", name.c_str(), row.gl.device_seconds * 1e6,
                row.gl.wall_seconds * 1e6, row.cpu.wall_seconds * 1e6, rate, flops ? "GFLOP/s" : "GB/s   ",
                row.gl.wall_seconds > 0 ? row.cpu.wall_seconds / row.gl.wall_seconds : 0.0);
  }
}

int main_of(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  const Device gl = Device::open("gl");
  std::cerr << "GL device: " << gl.info().name << ", " << gl.info().driver << "\n";
  register_works(gl, true);
  register_works(Device::open("cpu"), false);
  benchmark::RunSpecifiedBenchmarks();
  print_table(gl);
  return 0;
}

}  // namespace

}  // namespace eglantine::perf

int main(int count, char** arguments) {
  try {
    return eglantine::perf::main_of(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 1;
  }
}
