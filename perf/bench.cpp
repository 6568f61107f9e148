// eglantine_bench: a set of works on one device, as a table and as JSON. --help says how.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>

#include "perf/drawn/measurable.hpp"
#include "perf/guarded.hpp"
#include "perf/options.hpp"
#include "perf/results.hpp"
#include "perf/sets.hpp"
#include "perf/tune.hpp"
#include "system/whole_file.hpp"

namespace eglantine::perf {

namespace {

struct Chosen {
  std::string set;
  Work work;
};

Works works_of_set(const std::string& set, const Options& options, const Device& device) {
  const drawn::SizeClass* size = drawn::size_class_of(set);
  return size == nullptr ? works_of(set, device) : drawn::measurable_works(*size, options.seeds, options.count);
}

std::vector<Chosen> choose(const Options& options, const Device& device) {
  const std::regex wanted(options.filter);
  std::vector<Chosen> chosen;
  std::istringstream sets(options.sets.empty() ? set_for(device) : options.sets);
  const auto is_known = [&](const std::string& name) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Chosen& one) { return one.work.name == name; });
  };
  for (std::string set; std::getline(sets, set, ',');)
    for (Work& work : works_of_set(set, options, device))
      if (std::regex_search(work.name, wanted) && !is_known(work.name)) chosen.push_back({set, std::move(work)});
  return chosen;
}

Effort effort_for(const std::string& set, const Options& options, const Device& device) {
  if (set == "smoke" || set == "drawn_smoke") return {0, 0.002, 7};
  if (options.effort) return *options.effort;
  return device.info().software ? Effort{0.5, 0.15, 9} : Effort{};
}

/// The three longest kernels of a call.
std::vector<TimedKernel> profile_of(const Prepared& prepared, const Device& device) {
  Profile profile;
  eval(prepared.calls.front()());
  device.synchronize();
  std::vector<TimedKernel> kernels;
  for (const ProfiledKernel& each : profile.stop().kernels)
    if (kernels.size() < 3) kernels.push_back({each.kernel, each.seconds});
  return kernels;
}

Result result_of(Chosen chosen, const Device& device, const Options& options) {
  Result result{std::move(chosen.work), chosen.set, {}, {}, ""};
  try {
    const Prepared prepared = result.work.prepare(device);
    result.problem = prepared.problem();
    if (result.problem.empty())
      result.figures = measure(result.work, prepared, device, effort_for(chosen.set, options, device));
    if (result.figures && !result.work.family.empty()) result.kernels = profile_of(prepared, device);
    if (!result.problem.empty()) result.problem = "WRONG: " + result.problem;
  } catch (const std::exception& error) {
    result.problem = std::string("FAILED: ") + error.what();
  }
  device.trim();  // the next work's tensors have other sizes
  return result;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &fields));
  return text;
}

std::string joined(int count, char** arguments) {
  std::string text = "eglantine_bench";
  for (int i = 1; i < count; ++i) text += " " + std::string(arguments[i]);
  return text;
}

Peaks show_peaks(const Device& device) {
  const Peaks peaks = measure_peaks(device);
  std::printf("copy bandwidth %.1f GB/s, f32 peak %.1f GFLOP/s (measured by kernels of the benchmark's own)\n\n",
              peaks.copy_bytes * 1e-9, peaks.operations * 1e-9);
  return peaks;
}

/// Measures again after the works: while another process of the host opens its device, one measuring can show half of
/// what a device does, and works would count as at its limits.
void confirm_peaks(Run& run, const Device& device) {
  if (run.peaks.copy_bytes == 0 || run.device.software) return;
  const Peaks again = measure_peaks(device);
  run.peaks = {std::max(run.peaks.copy_bytes, again.copy_bytes), std::max(run.peaks.operations, again.operations)};
}

/// Throws FileError that names the file.
void write_text(const std::filesystem::path& path, const std::string& text) {
  try {
    io::write_whole_file(path, text);
  } catch (const std::system_error& error) {
    throw FileError("cannot write \"" + path.string() + "\": " + error.what());
  }
}

void write(const Options& options, const Run& run) {
  if (!options.json.empty()) write_text(options.json, json_of(run));
}

/// Operands and results of the works of these sets that have them, by their names.
void write_values(const Options& options) {
  const Device device = Device::open(options.device);
  std::map<std::string, Tensor> values;
  for (const Chosen& one : choose(options, device)) {
    if (!one.work.family.empty())
      throw Error("--values is of one drawn set, or of none, not of \"" + options.sets + "\"");
    if (!one.work.values) continue;
    const Values of = one.work.values(device);
    for (size_t i = 0; i < of.operands.size(); ++i)
      values.emplace(one.work.name + ".operand." + std::to_string(i), of.operands[i]);
    for (size_t i = 0; i < of.results.size(); ++i)
      values.emplace(one.work.name + ".result." + std::to_string(i), of.results[i]);
  }
  if (values.empty()) throw Error("--values: no work that is chosen applies a verb to operands");
  save_npz(options.values, values);
}

/// What is written of works instead of measuring them.
int write_works(const Options& options) {
  const drawn::SizeClass* size = drawn::size_class_of(options.sets);
  if (size == nullptr && !options.works.empty())
    throw Error("--works is of one drawn set, not of \"" + options.sets + "\"");
  if (size == nullptr) return write_values(options), 0;
  const std::vector<drawn::Drawn> works = drawn::draw_works(*size, options.seeds, options.count);
  if (!options.works.empty()) write_text(options.works, drawn::json_of(size->set, works));
  if (!options.values.empty()) save_npz(options.values, drawn::values_of(works, Device::open(options.device)));
  return 0;
}

int bench(const Options& options, const std::string& command) {
  if (!options.works.empty() || !options.values.empty()) return write_works(options);
  const std::string tuning = options.tune ? set_tuning_aside() : "";
  const Device device = Device::open(options.device);
  const DeviceInfo& info = device.info();
  if (options.identify) return std::printf("%s\t%s\n", info.software ? "software" : "hardware", info.name.c_str()), 0;
  if (options.tune) return tune(info, tuning, options.filter), 0;
  const std::vector<Chosen> chosen = choose(options, device);
  for (const Chosen& one : chosen)
    if (options.list) std::puts(one.work.name.c_str());
  if (options.list) return 0;
  Run run{info, {}, options.commit, options.date.empty() ? today() : options.date, command, {}, {}};
  write(options, run);  // a path that cannot be written is found out now
  std::printf("%s\n%s\n", run.device.name.c_str(), run.device.driver.c_str());
  if (options.peaks) run.peaks = show_peaks(device);
  std::printf("%s", table_head().c_str());
  bool good = true;
  for (const Chosen& one : chosen) {
    std::fflush(stdout);
    run.effort = effort_for(one.set, options, device);
    run.results.push_back(result_of(one, device, options));
    std::printf("%s", table_row(run.results.back(), run.peaks).c_str());
    good &= run.results.back().figures.has_value();
    write(options, run);  // whoever interrupts the rest keeps this
  }
  confirm_peaks(run, device);
  write(options, run);
  return good ? 0 : 1;
}

int main_of(int count, char** arguments) {
  Options options;
  try {
    options = parse_options(count, arguments);
  } catch (const std::invalid_argument& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  }
  if (options.help) return void(std::cout << usage), 0;
  if (options.first_result) print_first_result(*options.first_result);
  return bench(options, joined(count, arguments));
}

}  // namespace

}  // namespace eglantine::perf

int main(int count, char** arguments) { return eglantine::perf::guarded(eglantine::perf::main_of, count, arguments); }
