#include "lower/reduce/program/at_once_text.hpp"

#include <algorithm>

#include "codegen/glsl_type.hpp"
#include "codegen/source.hpp"
#include "codegen/value_text.hpp"
#include "layout/divide.hpp"
#include "lower/reduce/program/accumulator_text.hpp"
#include "lower/reduce/program/nans_apart.hpp"
#include "lower/reduce/schedule/staged.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

std::string combined(const std::string& a, const std::string& b) { return "eg_combine4(" + a + ", " + b + ")"; }

/// Neighbours [first, first + count) of `all`, pairs first; count a power of two.
template <class Leaf>
std::string neighbours(int64_t first, int64_t count, int64_t all, const Leaf& leaf) {
  if (count == 1) return leaf(first);
  const std::string low = neighbours(first, count / 2, all, leaf);
  return first + count / 2 < all ? combined(low, neighbours(first + count / 2, count / 2, all, leaf)) : low;
}

std::string loaded(int64_t number) { return "eg_x" + std::to_string(number); }

/// Element e of four rows that lie one behind the other.
std::string element_of_rows(int64_t e, int64_t length) {
  std::string four;
  for (int64_t at = e; at < vector_width * length; at += length)
    four += (four.empty() ? "" : ", ") + loaded(at / vector_width) + "." + "xyzw"[at % vector_width];
  return "eg_entry(EG_FOUR(" + four + "))";
}

std::string result_of_rows(int64_t length) {
  const auto element = [&](int64_t e) { return element_of_rows(e, length); };
  const auto lane = [&](int64_t i) { return neighbours(vector_width * i, vector_width, length, element); };
  return tree_of_lanes("eg_combine4", ceil_divide(length, vector_width), lane);
}

std::string result_of_columns(int64_t length) {
  const auto row = [](int64_t r) { return "eg_entry(" + loaded(r) + ")"; };
  const auto accumulator = [&](int64_t j) {
    const int64_t next = j + layout::column_accumulators;
    return next < length ? combined(row(j), row(next)) : row(j);
  };
  return neighbours(0, layout::column_accumulators, std::min(length, layout::column_accumulators), accumulator);
}

}  // namespace

std::string at_once_defines(ReducePattern pattern, const Combined& combined, int64_t length) {
  const bool rows = pattern == ReducePattern::row_fours;
  return define("EG_FOUR", has_nans_apart(pattern, combined) ? "vec4" : "EG_ACCUMULATORS") +
         define("EG_RESULT", rows ? result_of_rows(length) : result_of_columns(length)) +
         (rows ? define("EG_LENGTH", codegen::literal(static_cast<uint64_t>(length))) + define("EG_PITCH", length | 1)
               : "");
}

std::string at_once_functions(ReducePattern pattern, const Combined& combined) {
  const bool apart = has_nans_apart(pattern, combined);
  return "EG_FOUR eg_elements(uint number) { return " +
         accumulator_from(combined.reduction, "eg_load(number)", "uvec4(0u)") + "; }\n" +
         (apart ? ""
                : "EG_ACCUMULATORS eg_entry(EG_FOUR x) { return x; }\n"
                  "EG_FOUR eg_reported(EG_ACCUMULATORS a) { return a; }\n");
}

}  // namespace eglantine::lower
