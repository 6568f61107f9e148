#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "support/op_rows.hpp"
#include "support/verb_table.hpp"

/// The operation table and the public headers are complete.
namespace eglantine::test {
namespace {

std::vector<std::string> lines_of_headers() {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(EGLANTINE_SOURCE_DIR "/include/eglantine/verbs")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  return lines;
}

/// Whether a verb's declaration, or its group of declarations, has a comment.
bool is_documented(const std::vector<std::string>& lines, const std::string& verb) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("Tensor " + verb + "(") == std::string::npos || !lines[i].starts_with("EGLANTINE_API")) continue;
    size_t above = i;
    while (above > 0 && !lines[above - 1].empty() && !lines[above - 1].starts_with("///")) --above;
    return above > 0 && lines[above - 1].starts_with("///");
  }
  return false;
}

TEST(OpTable, every_row_has_a_domain_a_tolerance_and_documentation) {
  for (const OpRow& row : elementwise_rows()) {
    EXPECT_LT(row.low, row.high) << row.name << " has no domain";
    EXPECT_GE(row.ulp, 0) << row.name << " has no tolerance";
    EXPECT_TRUE(row.ulp <= 8 || is_internal(row)) << row.name << " promises less than the numeric contract";
    EXPECT_GE(row.doc.size(), 3U) << row.name << " has no documentation";
    EXPECT_TRUE(row.arity >= 1 && row.arity <= 3) << row.name;
  }
  for (const ReductionRow& row : reduction_rows()) {
    EXPECT_GE(row.tolerance, 0) << row.name << " has no tolerance";
    EXPECT_GE(row.doc.size(), 3U) << row.name << " has no documentation";
  }
}

TEST(OpTable, names_are_used_once) {
  std::set<std::string> names;
  for (const OpRow& row : elementwise_rows()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  for (const ReductionRow& row : reduction_rows()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(OpTable, every_row_is_a_verb_of_its_name_and_arity) {
  for (const OpRow& row : elementwise_rows()) {
    if (is_internal(row)) continue;
    const Verb* verb = find_verb(row.name);
    ASSERT_NE(verb, nullptr) << row.name << " is in no table of verbs: add it to tests/support/verb_table.cpp";
    EXPECT_EQ(verb->arity, static_cast<size_t>(row.arity)) << row.name;
  }
  const std::vector<OpRow>& rows = elementwise_rows();
  EXPECT_EQ(verbs().size() + static_cast<size_t>(std::count_if(rows.begin(), rows.end(), is_internal)), rows.size());
}

TEST(OpTable, every_verb_is_declared_with_a_comment_in_a_public_header) {
  const std::vector<std::string> lines = lines_of_headers();
  ASSERT_FALSE(lines.empty());
  for (const OpRow& row : elementwise_rows())
    EXPECT_TRUE(is_internal(row) || is_documented(lines, row.name)) << row.name;
  for (const ReductionRow& row : reduction_rows()) EXPECT_TRUE(is_documented(lines, row.name)) << row.name;
}

// The promised tolerances, should a row ever weaken one. A row that is not named promises the nearest value.
TEST(OpTable, tolerances_are_those_of_the_contract) {
  const std::set<std::string> one_ulp = {"div", "sqrt", "rsqrt", "reciprocal", "floor_divide", "rad2deg", "deg2rad"};
  const std::set<std::string> eight = {
      "exp",  "exp2",  "exp10",     "expm1",    "log",      "log2",       "log10",       "log1p",       "cbrt",
      "sin",  "cos",   "tan",       "asin",     "acos",     "atan",       "atan2",       "sinh",        "cosh",
      "tanh", "asinh", "acosh",     "atanh",    "pow",      "hypot",      "logaddexp",   "logaddexp2",  "xlogy",
      "lerp", "erf",   "erfc",      "erfinv",   "mish",     "lgamma",     "digamma",     "sigmoid",     "silu",
      "gelu", "selu",  "gelu_tanh", "softplus", "softsign", "tanhshrink", "log_sigmoid", "hardsigmoid", "hardswish"};
  for (const OpRow& row : elementwise_rows()) {
    if (is_internal(row)) continue;
    EXPECT_LE(row.ulp, one_ulp.contains(row.name) ? 1 : eight.contains(row.name) ? 8 : 0) << row.name;
  }
}

}  // namespace
}  // namespace eglantine::test
