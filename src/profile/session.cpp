#include "profile/session.hpp"

#include <algorithm>
#include <system_error>

#include "eglantine/error.hpp"
#include "profile/trace.hpp"
#include "system/whole_file.hpp"

namespace eglantine::profile {

namespace {

/// An empty path means no file; `advice` follows the reason of an error.
void write(const std::filesystem::path& file, const Recording& recording, const std::string& advice) {
  if (file.empty()) return;
  try {
    io::write_whole_file(file, trace_json(recording));
  } catch (const std::system_error& error) {
    throw FileError("[Profile] " + file.string() + " cannot be written: " + error.code().message() + advice);
  }
}

double seconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

void add(ProfiledKernel& row, const Recording::Total& total) {
  const auto runs = static_cast<double>(total.runs);
  row.shortest = row.runs == 0 ? seconds(total.shortest) : std::min(row.shortest, seconds(total.shortest));
  row.longest = std::max(row.longest, seconds(total.longest));
  row.runs += total.runs;
  row.seconds += seconds(total.nanoseconds);
  row.bytes += total.subject.bytes * runs;
  row.operations += total.subject.operations * runs;
  row.host_clock = total.subject.host_clock;
}

}  // namespace

// Writes the file at once, so that a bad path is found before the work rather than after it.
Session::Session(std::filesystem::path file, const std::string& asked_by) : file_(std::move(file)) {
  write(file_, {}, asked_by);
  recorder_ = add_recorder();
}

ProfileSummary Session::finish() {
  remove_recorder(recorder_);
  const Recording recording = recorder_->take();
  write(file_, recording, "");
  return summary_of(recording);
}

ProfileSummary summary_of(const Recording& recording) {
  std::map<std::pair<std::string, std::string>, ProfiledKernel> rows;
  for (const Recording::Total& total : recording.totals) {
    const Subject& subject = total.subject;
    if (subject.track == Track::kernels) add(rows[{subject.device, subject.name}], total);
  }
  ProfileSummary summary{{}, recording.left_out};
  for (auto& [names, row] : rows) {
    row.device = names.first;
    row.kernel = names.second;
    summary.kernels.push_back(row);
  }
  std::stable_sort(summary.kernels.begin(), summary.kernels.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return summary;
}

}  // namespace eglantine::profile
