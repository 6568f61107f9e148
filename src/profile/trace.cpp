#include "profile/trace.hpp"

#include <map>
#include <set>

#include "eglantine/version.hpp"
#include "profile/json_text.hpp"

namespace eglantine::profile {

namespace {

/// Numbers keys from 1, in order of first appearance.
template <class Key>
class Numbering {
 public:
  size_t operator()(const Key& key) {
    const auto [known, is_new] = numbers_.try_emplace(key, numbers_.size() + 1);
    if (is_new) order_.push_back(key);
    return known->second;
  }
  const std::vector<Key>& order() const { return order_; }

 private:
  std::map<Key, size_t> numbers_;
  std::vector<Key> order_;
};

constexpr int thread_of(Track track) { return track == Track::kernels ? 1 : 2; }

class TraceWriter {
 public:
  explicit TraceWriter(const Recording& recording) : recording_(recording) {}

  std::string text() {
    for (const Recording::Run& run : recording_.runs) add_run(run);
    for (size_t device = 1; device <= devices_.order().size(); ++device) name_device(device);
    return "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"Eglantine " EGLANTINE_VERSION
           "\",\"runs left out\":" +
           std::to_string(recording_.left_out) + "},\n\"programs\":{" + programs() + "},\n\"traceEvents\":[" + events_ +
           "\n]}\n";
  }

 private:
  void add_run(const Recording::Run& run) {
    const Recording::Total& total = recording_.totals[run.total];
    const Interval* intervals = recording_.intervals.data() + run.first_interval;
    const Interval whole{intervals[0].start, intervals[run.interval_count - 1].end};
    int64_t took = 0;
    for (size_t i = 0; i < run.interval_count; ++i) took += intervals[i].end - intervals[i].start;
    event(total.subject, total.subject.name, whole, arguments(total.subject, run.total, took));
    if (run.interval_count < 2) return;
    for (size_t i = 0; i < run.interval_count; ++i) {
      const ProgramRecordPtr& program = total.subject.programs[i];
      event(total.subject, program ? program->name : "copy", intervals[i],
            program ? "\"program\":" + std::to_string(program_number_(program)) : "");
    }
  }

  static std::set<ProgramRecordPtr> programs_of(const Subject& subject) {
    std::set<ProgramRecordPtr> programs(subject.programs.begin(), subject.programs.end());
    programs.erase(nullptr);
    return programs;
  }

  void event(const Subject& subject, const std::string& name, const Interval& when, const std::string& arguments) {
    begin_event("X", devices_(subject.device), thread_of(subject.track), name);
    events_ += ",\"cat\":\"";
    events_ += subject.track == Track::kernels ? "kernel" : "host";
    events_ += "\",\"ts\":" + microseconds(when.start - recording_.start) +
               ",\"dur\":" + microseconds(when.end - when.start) + ",\"args\":{" + arguments + "}}";
  }

  std::string arguments(const Subject& subject, size_t number, int64_t nanoseconds) {
    const auto each_second = [&](double count) {
      return json_number(nanoseconds > 0 ? count / static_cast<double>(nanoseconds) : 0, 5);
    };
    std::string text = "\"microseconds\":" + microseconds(nanoseconds);
    if (subject.bytes > 0)
      text += ",\"bytes\":" + json_number(subject.bytes, 17) + ",\"GB/s\":" + each_second(subject.bytes);
    if (subject.operations > 0)
      text +=
          ",\"operations\":" + json_number(subject.operations, 17) + ",\"GFLOP/s\":" + each_second(subject.operations);
    if (subject.host_clock) text += ",\"clock\":\"host: the device has no timer queries\"";
    const std::set<ProgramRecordPtr> programs = programs_of(subject);
    if (!programs.empty()) text += ",\"programs\":[" + program_list(subject) + "]";
    if (!programs.empty() && explained_.insert(number).second) text += ",\"GLSL\":" + sources(programs);
    return text;
  }

  std::string program_list(const Subject& subject) {
    std::string text;
    for (const ProgramRecordPtr& program : subject.programs)
      if (program) text += (text.empty() ? "" : ",") + std::to_string(program_number_(program));
    return text;
  }

  static std::string sources(const std::set<ProgramRecordPtr>& programs) {
    std::string text;
    for (const ProgramRecordPtr& program : programs) text += program->source + "\n";
    return json_text(text);
  }

  std::string programs() const {
    std::string text;
    for (size_t i = 0; i < program_number_.order().size(); ++i) {
      const ProgramRecord& program = *program_number_.order()[i];
      text += (i == 0 ? "\n\"" : ",\n\"") + std::to_string(i + 1) + "\":{\"name\":" + json_text(program.name) +
              ",\"key\":" + json_text(program.key) + ",\"GLSL\":" + json_text(program.source) + "}";
    }
    return text;
  }

  void name_device(size_t number) {
    name("process_name", number, 0, devices_.order()[number - 1]);
    name("thread_name", number, thread_of(Track::kernels), "kernels");
    name("thread_name", number, thread_of(Track::host), "host: compilations and transfers");
  }

  void name(const std::string& what, size_t process, int thread, const std::string& name) {
    begin_event("M", process, thread, what);
    events_ += ",\"args\":{\"name\":" + json_text(name) + "}}";
  }

  void begin_event(const char* phase, size_t process, int thread, const std::string& name) {
    events_ += events_.empty() ? "\n" : ",\n";
    events_ += "{\"ph\":\"" + std::string(phase) + "\",\"pid\":" + std::to_string(process) +
               ",\"tid\":" + std::to_string(thread) + ",\"name\":" + json_text(name);
  }

  static std::string microseconds(int64_t nanoseconds) {
    return json_number(static_cast<double>(nanoseconds) * 1e-3, 15);
  }

  const Recording& recording_;
  Numbering<std::string> devices_;
  Numbering<ProgramRecordPtr> program_number_;
  std::set<size_t> explained_;  ///< totals whose GLSL is in the trace
  std::string events_;
};

}  // namespace

std::string trace_json(const Recording& recording) { return TraceWriter(recording).text(); }

}  // namespace eglantine::profile
