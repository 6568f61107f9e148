#include "lower/reduce/staged.hpp"

#include <algorithm>
#include <bit>

#include "codegen/access_pattern.hpp"
#include "codegen/source.hpp"
#include "graph/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/windows.hpp"

namespace eglantine::lower {
namespace {

// As of row kernels (lower/row/staged.cpp): rows of two are half a vector, longer ones have whole lines for lanes.
constexpr int64_t shortest_staged = 3, longest_staged = 64, fewest_rows_of_resident = 8;
constexpr int64_t usual_staged_group = 128, smallest_staged_group = 32, accumulator_bytes = 4;
// Of shared memory a group: several groups load while others combine.
constexpr int64_t bytes_a_group = 16384;
constexpr int64_t most_vectors = 8;

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
  const bool are_short =
      level.length >= shortest_staged && level.length <= longest_staged && level.length % vector_width != 0;
  const bool are_many = level.kept * fewest_rows_of_resident >= target.resident_invocations &&
                        level.kept * level.length < elements_a_dispatch;
  if (!serves || !are_short || !are_many || !has_elements_in_line(level.prologue)) return std::nullopt;
  const int64_t steps = ceil_divide(level.length, vector_width);
  StagedRows plan{group_size_of(target, usual_staged_group),
                  static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(ceil_divide(most_vectors, steps))))};
  // Alike for all rows of as many vectors, of which the last may pass the end.
  const auto words = [&] { return plan.rows_at_once() * steps * vector_width; };
  const auto passes = [&](int64_t bytes) { return words() * accumulator_bytes > bytes; };
  while (plan.rows_each > 1 && passes(bytes_a_group)) plan.rows_each /= 2;
  while (plan.group > smallest_staged_group && passes(bytes_a_group)) plan.group /= 2;
  if (passes(target.max_shared_bytes)) return std::nullopt;
  plan.words = words();
  const int64_t in_flight = has_long_prologue(level) ? 1 : 2 * int64_t{unroll_of(level.prologue)};
  plan.vectors = std::min({most_vectors, in_flight, plan.rows_each * steps});
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
