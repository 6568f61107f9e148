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
// Four rows are as many vectors as a row has elements, which registers hold.
constexpr int64_t longest_in_fours = 15;

bool is_in_line(const Layout& x) {
  return codegen::access_pattern_of(x, {0, x.shape.rank()}) == codegen::AccessPattern::contiguous;
}

bool has_elements_in_line(const Expr& x) {
  return !x.operands.empty() && x.piecewise.empty() && x.calls.empty() && x.stored.empty() &&
         std::ranges::all_of(x.operands, [](const Strided& operand) { return is_in_line(operand.layout); });
}

/// Whether more is computed of an element than one addition or product.
bool computes_much(const ReduceLevel& level) {
  const bool is_extreme = level.reduction == Reduction::max || level.reduction == Reduction::min;
  return level.prologue.code.size() > 1 || (is_extreme && level.prologue.dtype() == DType::f32);
}

/// Whether rows of a level may be taken in the order of memory, in groups of neighbours.
bool are_short_in_line(const Target& target, const ReduceLevel& level, int64_t longest) {
  return !target.software && level.tree == layout::ReduceTree::row && level.together == 0 &&
         is_combined_by_value(level) && level.length <= longest && level.kept * level.length < elements_a_dispatch &&
         has_elements_in_line(level.prologue);
}

}  // namespace

std::optional<StagedRows> staged_rows(const Target& target, const ReduceLevel& level) {
  if (!are_short_in_line(target, level, longest_staged) || !is_worth_staging(target, level.kept, level.length))
    return std::nullopt;
  const std::optional<StagedGroup> group = staged_group(target, level.length);
  if (!group) return std::nullopt;
  StagedRows plan{*group};
  const int64_t in_flight = has_long_prologue(level) ? 1 : 2 * int64_t{unroll_of(level.prologue)};
  plan.vectors = std::min({most_staged_vectors, in_flight, plan.rows_each * ceil_divide(level.length, vector_width)});
  return plan;
}

bool takes_rows_in_fours(const Target& target, const ReduceLevel& level) {
  // Of whole vectors a row is otherwise several lanes' work, of which some may have none, and each looks for NaN anew.
  const bool serves = level.length % vector_width != 0 || computes_much(level);
  return serves && level.length > 1 && level.kept >= target.resident_invocations && !has_long_prologue(level) &&
         are_short_in_line(target, level, longest_in_fours);
}

std::string staged_macros(const StagedRows& plan, int64_t length) {
  std::string vectors;
  for (int64_t k = 0; k < plan.vectors; ++k) {
    const std::string n = std::to_string(k);
    vectors += "F(" + n + ", eg_x" + n + ") ";
  }
  const auto lane = [](int64_t i) { return "F(" + std::to_string(i) + ")"; };
  return codegen::define("EG_EACH_VECTOR(F)", vectors) +
         codegen::define("EG_TREE(F)", tree_of_lanes("eg_combine", ceil_divide(length, vector_width), lane));
}

}  // namespace eglantine::lower
