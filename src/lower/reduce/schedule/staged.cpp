#include "lower/reduce/schedule/staged.hpp"

#include <algorithm>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/source.hpp"
#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t longest_staged = 64;  // longer rows have whole lines for lanes

bool is_in_line(const Layout& x) {
  return codegen::access_pattern_of(x, {0, x.shape.rank()}) == codegen::AccessPattern::contiguous;
}

bool has_elements_in_line(const Expr& x) {
  return !x.operands.empty() && x.piecewise.empty() && x.calls.empty() && x.stored.empty() &&
         std::ranges::all_of(x.operands, [](const Strided& operand) { return is_in_line(operand.layout); });
}

/// The value of lane `first` once lanes that are a multiple of `apart` away have been added to it, halves first.
std::string tree_of(int64_t first, int64_t apart, int64_t lanes) {
  if (first + apart >= lanes) return "F(" + std::to_string(first) + ")";
  return "eg_combine(" + tree_of(first, 2 * apart, lanes) + ", " + tree_of(first + apart, 2 * apart, lanes) + ")";
}

}  // namespace

std::optional<StagedRows> staged_rows(const Target& target, const ReduceLevel& level) {
  const bool serves = !target.software && level.tree == layout::ReduceTree::row && level.together == 0 &&
                      !is_arg(level.reduction) && level.reduction != Reduction::custom && !level.indices;
  const bool fits = level.length <= longest_staged && level.kept * level.length < elements_a_dispatch;
  if (!serves || !fits || !is_worth_staging(target, level.kept, level.length) || !has_elements_in_line(level.prologue))
    return std::nullopt;
  const std::optional<StagedGroup> group = staged_group(target, level.length);
  if (!group) return std::nullopt;
  StagedRows plan{*group};
  const int64_t in_flight = has_long_prologue(level) ? 1 : 2 * int64_t{unroll_of(level.prologue)};
  plan.vectors = std::min({most_staged_vectors, in_flight, plan.rows_each * ceil_divide(level.length, vector_width)});
  return plan;
}

std::string staged_macros(const StagedRows& plan, int64_t length) {
  std::string vectors;
  for (int64_t k = 0; k < plan.vectors; ++k) {
    const std::string n = std::to_string(k);
    vectors += "F(" + n + ", eg_x" + n + ") ";
  }
  return codegen::define("EG_EACH_VECTOR(F)", vectors) +
         codegen::define("EG_TREE(F)", tree_of(0, 1, ceil_divide(length, vector_width)));
}

}  // namespace eglantine::lower
