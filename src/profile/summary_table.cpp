#include <cstdio>
#include <iomanip>
#include <set>

#include "eglantine/profile.hpp"

namespace eglantine {

namespace {

std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double seconds_of(const ProfileSummary& summary, const std::string& device) {
  double seconds = 0;
  for (const ProfiledKernel& row : summary.kernels)
    if (row.device == device) seconds += row.seconds;
  return seconds;
}

void print_row(std::ostream& out, const ProfiledKernel& row, double all) {
  const auto rate = [&](double count, int width) {
    const bool known = count > 0 && row.seconds > 0;
    out << std::setw(width) << (known ? formatted("%.1f", count / row.seconds * 1e-9) : "");
  };
  const double runs = static_cast<double>(row.runs);
  out << formatted("%12.3f", row.seconds * 1e3) << formatted("%7.1f", all > 0 ? row.seconds / all * 100 : 0)
      << std::setw(8) << row.runs << formatted("%11.1f", row.seconds / runs * 1e6)
      << formatted("%11.1f", row.shortest * 1e6);
  rate(row.bytes, 9);
  rate(row.operations, 10);
  out << "  " << row.kernel << '\n';
}

void print_device(std::ostream& out, const ProfileSummary& summary, const std::string& device) {
  const double all = seconds_of(summary, device);
  out << "kernels on " << device << ": " << formatted("%.3f ms", all * 1e3) << '\n'
      << "    total ms      %    runs    mean us     min us     GB/s   GFLOP/s  kernel\n";
  bool host_clock = false;
  for (const ProfiledKernel& row : summary.kernels) {
    if (row.device != device) continue;
    print_row(out, row, all);
    host_clock |= row.host_clock;
  }
  if (host_clock)
    out << "this device has no timer queries: the times are what its worker thread took to run each kernel\n";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const ProfileSummary& summary) {
  std::set<std::string> devices;
  for (const ProfiledKernel& row : summary.kernels) devices.insert(row.device);
  for (const std::string& device : devices) print_device(out, summary, device);
  if (devices.empty()) out << "no kernel ran\n";
  if (summary.runs_left_out > 0)
    out << summary.runs_left_out << " runs are counted here, but were too many for the trace\n";
  return out;
}

}  // namespace eglantine
