#include "support/run_again.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern char** environ;

namespace eglantine::test {
namespace {

/// Whether this run's variable would have the other one leave the test out: of shards, or of a drawn share.
bool leaves_tests_out(std::string_view variable) {
  return variable.starts_with("GTEST_") || variable.starts_with("EGLANTINE_TEST_DRAWN_RUN=");
}

bool ran_one_test(const std::filesystem::path& printed) {
  std::ifstream in(printed, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("1 test from 1 test suite ran") != std::string::npos;
}

}  // namespace

int run_again(const std::string& test, const std::string& variable, const std::filesystem::path& printed) {
  std::vector<std::string> arguments{"/proc/self/exe", "--gtest_filter=" + test}, variables{variable};
  for (char** each = environ; *each != nullptr; ++each)
    if (!leaves_tests_out(*each)) variables.emplace_back(*each);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  int status = -1;
  if (posix_spawn(&process, "/proc/self/exe", &actions, nullptr, pointers(arguments).data(),
                  pointers(variables).data()) == 0)
    waitpid(process, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 && !ran_one_test(printed) ? -1 : status;
}

}  // namespace eglantine::test
