#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "eglantine/device.hpp"
#include "eglantine/ops.hpp"
#include "io/temporary_folder.hpp"
#include "support/compare.hpp"
#include "support/random/draw.hpp"
#include "support/run_again.hpp"

/// The library's environment variables, in processes of their own: some are read once.
namespace eglantine::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The variables in README's table.
std::set<std::string> documented_variables() {
  const std::string readme = text_of(EGLANTINE_SOURCE_DIR "/README.md");
  std::set<std::string> names;
  for (size_t row = readme.find("\n| `EGLANTINE_"); row != std::string::npos;
       row = readme.find("\n| `EGLANTINE_", row + 1)) {
    const std::string cell = readme.substr(row + 2, readme.find('|', row + 3) - row - 2);
    for (size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
      const size_t end = cell.find('`', at + 1);
      names.insert(cell.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
}

void describe(const DeviceInfo& info) {
  std::cout << "described: " << info.name << " " << info.spec << " " << info.max_block_bytes << " " << info.max_bindings
            << " " << info.max_invocations << " " << info.tuning << "\n";
}

/// Run again by the other tests: prints the devices and the best one, as the variables affect them.
TEST(Environment, describes_the_devices) {
  describe(Device::open().info());
  describe(Device::open("cpu").info());
  for (const DeviceInfo& info : Device::list()) describe(info);
  const Tensor x = ones({3});
  EXPECT_EQ(sum(x + x).item<float>(), 6);
}

/// The lines printed by describe(), or all text without test output.
std::string described(const std::string& printed) {
  std::string lines;
  for (size_t at = printed.find("described: "); at != std::string::npos; at = printed.find("described: ", at + 1))
    lines += printed.substr(at, printed.find('\n', at) + 1 - at);
  if (printed.find("eglantine: ") != std::string::npos) lines += printed;
  return lines;
}

TEST(Environment, a_variable_that_is_empty_counts_as_not_set) {
  const TemporaryFolder folder;
  const std::string test = "Environment.describes_the_devices";
  const auto run = [&](const std::string& variable) {
    const fs::path printed = folder.path() / "printed";
    fs::remove(printed);
    EXPECT_EQ(run_again(test, variable, printed), 0) << variable << "\n" << text_of(printed);
    return described(text_of(printed));
  };
  std::set<std::string> names = documented_variables();
  EXPECT_GE(names.size(), 11U);
  const std::string unset = run("EGLANTINE_NO_SUCH_VARIABLE=");
  EXPECT_NE(unset.find("described: "), std::string::npos);
  Draw draw = draw_one_of(3);
  for (const std::string& name : names) {
    if (!draw.next()) continue;
    EXPECT_EQ(run(name + "="), unset) << name;
  }
}

}  // namespace
}  // namespace eglantine::test
