#include "support/run_again.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>
#include <vector>

extern char** environ;

namespace eglantine::test {

int run_again(const std::string& test, const std::string& variable, const std::filesystem::path& printed) {
  std::vector<std::string> arguments{"/proc/self/exe", "--gtest_filter=" + test}, variables{variable};
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string_view(*each).starts_with("GTEST_")) variables.emplace_back(*each);  // and do not shard
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, printed.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  int status = -1;
  if (posix_spawn(&process, "/proc/self/exe", &actions, nullptr, pointers(arguments).data(),
                  pointers(variables).data()) == 0)
    waitpid(process, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

}  // namespace eglantine::test
