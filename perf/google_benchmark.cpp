// eglantine_perf: the classic set on a GL device beside the CPU backend, through Google Benchmark (its options work:
// --benchmark_filter, --benchmark_format=json). eglantine_bench measures more, and more carefully.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <iostream>
#include <map>

#include "perf/guarded.hpp"
#include "perf/measure.hpp"
#include "perf/sets.hpp"

namespace eglantine::perf {

namespace {

/// Seconds of a call.
struct Timing {
  double device = 0, wall = 0;
};

struct Row {
  Timing gl, cpu;
  double bytes = 0, operations = 0;
  bool is_product = false;
};

std::map<std::string, Row> table;
std::vector<std::string> order;

void report(benchmark::State& state, const Work& work, const Timing& timing) {
  state.counters["device_us"] = timing.device * 1e6;
  state.counters["GB_per_s"] = work.bytes / timing.device * 1e-9;
  if (work.operation() == "matmul") state.counters["GFLOP_per_s"] = work.operations / timing.device * 1e-9;
}

void run(benchmark::State& state, const Work& work, const Device& device, bool gl) {
  const Prepared prepared = work.prepare(device);
  Timing last;
  for (auto _ : state) {
    const Figures figures = measure(work, prepared, device, {0.02, 0.01, 3});
    last = {figures.device.median(), figures.wall.median()};
    state.SetIterationTime(last.wall);
  }
  report(state, work, last);
  if (!table.count(work.name)) order.push_back(work.name);
  Row& row = table[work.name];
  (gl ? row.gl : row.cpu) = last;
  row.bytes = work.bytes;
  row.operations = work.operations;
  row.is_product = work.operation() == "matmul";
}

void register_works(const Device& device, bool gl) {
  for (const Work& work : works_of("classic", device)) {
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
    const double rate = row.gl.device > 0 ? (row.is_product ? row.operations : row.bytes) / row.gl.device * 1e-9 : 0;
    std::printf("%-32s %12.1f %12.1f %12.1f %7.2f %s %9.2f\n", name.c_str(), row.gl.device * 1e6, row.gl.wall * 1e6,
                row.cpu.wall * 1e6, rate, row.is_product ? "GFLOP/s" : "GB/s   ",
                row.gl.wall > 0 ? row.cpu.wall / row.gl.wall : 0.0);
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

int main(int count, char** arguments) { return eglantine::perf::guarded(eglantine::perf::main_of, count, arguments); }
