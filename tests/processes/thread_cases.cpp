#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "cases.hpp"

/// The threads that the library and its drivers start in a process.
namespace eglantine::test {
namespace {

std::set<std::string> tasks() {
  std::set<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) found.insert(task.path());
  return found;
}

/// A line of a file in /proc, without its name.
std::string line_of(const std::string& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name)) return line.substr(name.size());
  return "";
}

bool blocks(const std::string& task, int signal) {
  return (std::stoull(line_of(task + "/status", "SigBlk:"), nullptr, 16) >> (signal - 1) & 1U) != 0;
}

/// Threads that exist before any device is opened are not ours (OpenBLAS starts some when it is loaded).
int started_since(const std::set<std::string>& before, bool& all_block) {
  int started = 0;
  for (const std::string& task : tasks()) {
    if (before.count(task) != 0) continue;
    ++started;
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGPROF}) {
      if (blocks(task, signal)) continue;
      std::fprintf(stderr, "signal %d may reach \"%s\"\n", signal, line_of(task + "/status", "Name:").c_str());
      all_block = false;
    }
  }
  return started;
}

/// Limits the growth of the address space while it lives. Briefly: a thread of OpenBLAS retries its allocation for
/// ever, and the end of the process waits for that thread.
class LittleSpace {
 public:
  explicit LittleSpace(rlim_t kilobytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlim_t used = std::stoull(line_of("/proc/self/status", "VmSize:"));
    const rlimit limit{(used + kilobytes) << 10, before_.rlim_max};
    if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
  }
  ~LittleSpace() { setrlimit(RLIMIT_AS, &before_); }
  LittleSpace(const LittleSpace&) = delete;
  LittleSpace& operator=(const LittleSpace&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

int keeps_signals_from_its_threads() {
  setenv("EGLANTINE_THREADS", "3", 1);
  const std::set<std::string> before = tasks();
  const Device gl = Device::open("gl"), cpu = Device::open("cpu");
  small_sum(gl);
  small_sum(cpu);
  bool all_block = true;
  const int started = started_since(before, all_block);
  return started >= 4 && all_block ? own_status : 1;
}

/// Too little address space for stacks of the preferred size.
int computes_in_little_address_space() {
  const LittleSpace space(150 << 10);
  return small_sum(Device::open("cpu")) == 12 ? own_status : 2;
}

/// Too little for any thread.
int says_that_no_thread_can_be_started() {
  const LittleSpace space(512);
  try {
    Device::open("cpu");
    return 2;
  } catch (const DeviceError& error) {
    return std::string(error.what()).find("no thread could be started") != std::string::npos ? own_status : 3;
  }
}

}  // namespace eglantine::test
