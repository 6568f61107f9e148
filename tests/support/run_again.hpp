#pragma once

#include <filesystem>
#include <string>

namespace eglantine::test {

/// Runs this test program again with one test and one additional environment variable, "NAME=value"; its output goes to
/// a file. Returns its status (as of wait), which is not 0 where no test of that name ran.
int run_again(const std::string& test, const std::string& variable, const std::filesystem::path& printed);

}  // namespace eglantine::test
