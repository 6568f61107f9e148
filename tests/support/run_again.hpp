#pragma once

#include <filesystem>
#include <string>

namespace eglantine::test {

/// The status (as of wait) of this test program, run again with one test and with one variable more, "NAME=value", in
/// its environment; what it prints goes to a file.
int run_again(const std::string& test, const std::string& variable, const std::filesystem::path& printed);

}  // namespace eglantine::test
