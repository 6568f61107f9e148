#include "perf/results.hpp"

#include <cstdio>

#include "backend/cpu/cpu_backend.hpp"
#include "profile/json_text.hpp"

namespace eglantine::perf {

namespace {

using profile::json_number;
using profile::json_text;

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Three digits at least, and a unit that suits.
std::string duration(double seconds) {
  if (seconds >= 1) return formatted("%.3f s ", seconds);
  if (seconds >= 1e-3) return formatted("%.3f ms", seconds * 1e3);
  return formatted("%.2f us", seconds * 1e6);
}

/// "1.23 TFLOP/s": a rate in billions or trillions.
std::string rate(double each_second, const char* unit) {
  if (each_second <= 0) return "";
  return each_second >= 1e12 ? formatted("%.2f T", each_second * 1e-12) + unit
                             : formatted("%.2f G", each_second * 1e-9) + unit;
}

std::string percent(double part, double whole) {
  return part > 0 && whole > 0 ? formatted("%.0f%%", part / whole * 100) : "";
}

std::string padded(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// Of one call in a second: steps are a call's parts.
double calls_a_second(const Result& result) { return 1 / (result.time().median() * result.work.steps); }

std::string spread_json(const Spread& spread) {
  const auto us = [&](double share) { return json_number(spread.at(share) * 1e6, 7); };
  return "{\"median\":" + us(0.5) + ",\"min\":" + us(0) + ",\"p25\":" + us(0.25) + ",\"p75\":" + us(0.75) +
         ",\"max\":" + us(1) + ",\"samples\":" + std::to_string(spread.count()) + "}";
}

std::string device_json(const Run& run) {
  std::string text = "{\"name\":" + json_text(run.device.name) + ",\"driver\":" + json_text(run.device.driver) +
                     ",\"kind\":" + json_text(run.device.kind) +
                     ",\"software\":" + (run.device.software ? "true" : "false");
  if (run.peaks.copy_bytes > 0) text += ",\"copy_bytes_per_second\":" + json_number(run.peaks.copy_bytes, 6);
  if (run.peaks.operations > 0) text += ",\"peak_operations_per_second\":" + json_number(run.peaks.operations, 6);
  return text + "}";
}

/// [["map f32 ...", microseconds], ...]
std::string kernels_json(const std::vector<TimedKernel>& kernels) {
  std::string text;
  for (const auto& [line, seconds] : kernels)
    text += (text.empty() ? "[" : ",[") + json_text(line) + "," + json_number(seconds * 1e6, 5) + "]";
  return "[" + text + "]";
}

std::string result_json(const Result& result, const Peaks& peaks) {
  const Work& work = result.work;
  std::string text = "{\"name\":" + json_text(work.name) + ",\"set\":" + json_text(result.set);
  if (!work.family.empty()) text += ",\"family\":" + json_text(work.family);
  const auto number = [&](const char* name, double value) {
    if (value > 0) text += ",\"" + std::string(name) + "\":" + json_number(value, 10);
  };
  number("bytes", work.bytes);
  number("operations", work.operations);
  number("items", work.items);
  number("steps", work.steps);
  if (!result.figures) return text + ",\"problem\":" + json_text(result.problem) + "}";
  if (!result.figures->device.empty()) text += ",\"device_us\":" + spread_json(result.figures->device);
  text += ",\"wall_us\":" + spread_json(result.figures->wall);
  if (!result.figures->caller.empty()) text += ",\"caller_us\":" + spread_json(result.figures->caller);
  if (!result.kernels.empty()) text += ",\"kernels\":" + kernels_json(result.kernels);
  const double calls = calls_a_second(result);
  number("peak_bytes", static_cast<double>(result.figures->peak_bytes));
  number("calls_in_a_sample", static_cast<double>(result.figures->calls));
  number("bytes_per_second", work.bytes * calls);
  number("operations_per_second", work.operations * calls);
  number("items_per_second", work.items * calls);
  if (peaks.copy_bytes > 0) number("percent_of_copy", work.bytes * calls / peaks.copy_bytes * 100);
  if (peaks.operations > 0) number("percent_of_peak", work.operations * calls / peaks.operations * 100);
  return text + "}";
}

}  // namespace

std::string table_head() {
  return padded("work", 34) + padded("device time", 13) + padded("p25", 12) + padded("p75", 12) + padded("wall", 13) +
         padded("caller", 13) + padded("bytes", 13) + padded("of copy", 9) + padded("arithmetic", 16) +
         padded("of peak", 9) + "\n";
}

std::string table_row(const Result& result, const Peaks& peaks) {
  std::string text = padded(result.work.name, 34);
  if (!result.figures) return text + "  " + result.problem + "\n";
  const Figures& figures = *result.figures;
  const Spread& time = result.time();
  const double calls = calls_a_second(result), bytes = result.work.bytes * calls;
  const double operations = result.work.operations * calls;
  text += padded(figures.device.empty() ? "" : duration(time.median()), 13) + padded(duration(time.at(0.25)), 12) +
          padded(duration(time.at(0.75)), 12) + padded(duration(figures.wall.median()), 13) +
          padded(figures.caller.empty() ? "" : duration(figures.caller.median()), 13);
  text += padded(rate(bytes, "B/s"), 13) + padded(percent(bytes, peaks.copy_bytes), 9);
  text += result.work.items > 0
              ? padded(formatted("%.0f items/s", result.work.items * calls), 25)
              : padded(rate(operations, "FLOP/s"), 16) + padded(percent(operations, peaks.operations), 9);
  return text + "\n";
}

std::string json_of(const Run& run) {
  std::string text =
      "{\"format\":1,\"program\":\"eglantine\",\"variant\":\"\",\"library\":\"Eglantine " EGLANTINE_VERSION
      "\",\n\"commit\":" +
      json_text(run.commit) + ",\"date\":" + json_text(run.date) + ",\"command\":" + json_text(run.command) +
      ",\n\"host\":" + json_text(cpu::describe_cpu().name) + ",\"device\":" + device_json(run) +
      ",\n\"effort\":{\"warm_seconds\":" + json_number(run.effort.warm_seconds) +
      ",\"sample_seconds\":" + json_number(run.effort.sample_seconds) +
      ",\"samples\":" + std::to_string(run.effort.samples) + "},\n\"works\":[";
  for (size_t i = 0; i < run.results.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + result_json(run.results[i], run.peaks);
  return text + "\n]}\n";
}

}  // namespace eglantine::perf
