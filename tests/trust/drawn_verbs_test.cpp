#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/verb_table.hpp"

/// Random graphs and random programs draw from every verb.
namespace eglantine::test {
namespace {

/// Made from the library: every function that users can call.
const std::set<std::string> public_functions = {
#include "public_functions.inc"
};

const char* const derivative = "of functions, which tests/grad draws arguments of";
const char* const custom = "each text is another program, and fuzz/glsl draws texts";

/// Those that cannot be drawn, and why.
const std::map<std::string, std::string> never_drawn = {
    {"broadcast_shapes", "of shapes, without a tensor"},
    {"check_gradients", derivative},
    {"checkpoint", derivative},
    {"check_op", custom},
    {"custom_vjp", derivative},
    {"elementwise", custom},
    {"explain", "computes nothing"},
    {"grad", derivative},
    {"hessian", derivative},
    {"jacobian", derivative},
    {"jvp", derivative},
    {"load_npy", "reads a file"},
    {"load_npz", "reads a file"},
    {"load_safetensors", "reads a file"},
    {"name_of", "of dtypes, without a tensor"},
    {"reduce", custom},
    {"result_type", "of dtypes, without a tensor"},
    {"safetensors_metadata", "reads a file"},
    {"same", "of handles, whatever their values"},
    {"save_npy", "writes a file"},
    {"save_npz", "writes a file"},
    {"save_safetensors", "writes a file"},
    {"scan", custom},
    {"size_of", "of dtypes, without a tensor"},
    {"split_seed", "of numbers, without a tensor"},
    {"stop_gradient", derivative},
    {"to_string", "of shapes, without a tensor"},
    {"value_and_grad", derivative},
    {"vjp", derivative},
    {"vmap", derivative},
};

/// What draws, but for elementwise.cpp's table, which is verbs().
std::string drawing_sources() {
  namespace fs = std::filesystem;
  std::ostringstream text;
  for (const char* folder : {"verbs", "programs"})
    for (const auto& entry : fs::directory_iterator(fs::path(EGLANTINE_SOURCE_DIR "/tests/support/random") / folder))
      text << std::ifstream(entry.path()).rdbuf();
  return text.str();
}

/// Members and operators forward to the functions of their names.
bool is_free(const std::string& function) {
  return function.find("::") == std::string::npos && !function.starts_with("operator");
}

/// Names that are called, but not as members of a namespace such as naive.
std::set<std::string> called_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex call("(^|[^A-Za-z0-9_:])([a-z_][a-z0-9_]*)(?=\\()");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), call); match != std::sregex_iterator(); ++match)
    names.insert((*match)[2]);
  return names;
}

TEST(DrawnVerbs, are_all_but_those_with_a_reason) {
  std::set<std::string> drawn = called_in(drawing_sources());
  ASSERT_GT(drawn.size(), 100U);
  for (const Verb& verb : verbs()) drawn.insert(verb.name);
  for (const std::string& function : public_functions)
    EXPECT_TRUE(!is_free(function) || drawn.contains(function) || never_drawn.contains(function))
        << function << " has no line in tests/support/random/verbs, and no reason to have none";
  for (const auto& [function, why] : never_drawn) {
    EXPECT_TRUE(public_functions.contains(function)) << function << " is no public function";
    EXPECT_FALSE(drawn.contains(function)) << function << " is drawn";
  }
}

}  // namespace
}  // namespace eglantine::test
