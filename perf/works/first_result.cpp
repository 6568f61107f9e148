#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "perf/works/works.hpp"

extern char** environ;

namespace eglantine::perf {

namespace {

constexpr int64_t element_count = int64_t{1} << 20;

double milliseconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Runs this program anew, and waits until it has printed a result and ended. Throws std::runtime_error.
void run_process(const std::string& device) {
  std::string option = "--first-result", spec = device;
  // Through /proc, so that it is this program also when a build has replaced its file meanwhile.
  std::string self = "/proc/self/exe";
  char* const arguments[] = {self.data(), option.data(), spec.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawn(&process, self.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error != 0 || waitpid(process, &status, 0) < 0 || status != 0)
    throw std::runtime_error("a new process on " + device + " failed");
}

}  // namespace

void print_first_result(const std::string& spec) {
  const auto start = std::chrono::steady_clock::now();
  const Device device = Device::open(spec);
  const double opened = milliseconds(start);
  const std::vector<float> values(element_count, 0.5F);
  const Tensor x = Tensor::from(values, {element_count}, device);
  const double uploaded = milliseconds(start);
  const float result = sum(exp(x)).item<float>();
  const double first = milliseconds(start);
  sum(exp(x)).item<float>();
  std::printf("open %.1f ms, upload %.1f, first result %.1f, second %.2f: %g\n", opened, uploaded - opened,
              first - uploaded, milliseconds(start) - first, static_cast<double>(result));
  std::fflush(stdout);
  _exit(0);  // the first result is there: what a process does to end is not of interest
}

Work first_result_work() {
  Work work;
  work.name = "first_result/" + size_text(element_count);
  work.on_host = true;
  work.prepare = [](const Device& device) {
    const std::string spec = device.info().spec;
    return Prepared{{[spec] {
                      run_process(spec);
                      return Tensors{};
                    }},
                    [] { return std::string(); }};
  };
  return work;
}

}  // namespace eglantine::perf
