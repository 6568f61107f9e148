#include "lower/reduce/schedule/together.hpp"

#include <algorithm>
#include <optional>

#include "codegen/addresses/access_pattern.hpp"
#include "codegen/stage/window_reads.hpp"
#include "graph/kernel/results_together.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"

namespace eglantine::lower {
namespace {

// An invocation has four sums of each row in registers, beside what it loads.
constexpr int64_t most_rows_together = 16;
// Longer texts take drivers long to compile.
constexpr size_t most_code_together = 96;
// With so many loads in flight each, an eighth of the resident invocations keeps the device's memory busy.
constexpr int64_t invocations_for_one = 8;
// Of what a row loads by itself.
constexpr double worthwhile = 0.7;
// On hardware a shorter row leaves most of its group idle, and computing what rows have in common again costs less.
constexpr int64_t shortest_row = layout::row_lanes;
// On software devices an invocation each; fewer leave most of a SIMD vector idle.
constexpr int64_t fewest_items = 8;

/// Elements that a vector loads.
int64_t elements_loaded(const Expr& expr, int kept_rank) {
  const int64_t singly = codegen::vector_width * std::ssize(expr.operands);
  if (!codegen::rows_of_whole_vectors(expr.domain, {kept_rank, expr.domain.rank() - kept_rank})) return singly;
  const codegen::WindowLoads windows = codegen::window_loads(expr, codegen::vector_width);
  return singly - windows.singly + windows.once;
}

int64_t rows_of(const ReduceLevel& level, int axes) {
  return codegen::count_of(level.prologue.domain, {level.kept_rank - axes, axes});
}

/// Whether an invocation takes the rows of the last `axes` kept axes by itself.
bool each_takes(const Target& target, const ReduceLevel& level, int axes) {
  const int64_t rows = rows_of(level, axes);
  return rows >= 2 && rows <= most_rows_together && takes_each_row(target, level, rows);
}

/// Whether the rows of the last `axes` kept axes are as many as an invocation takes, and what is left fills the device.
bool can_be_taken(const Target& target, const ReduceLevel& level, int axes) {
  const int64_t rows = rows_of(level, axes);
  if (rows < 2 || rows > most_rows_together) return false;
  if (takes_each_row(target, level, rows)) return true;
  const int64_t groups = level.kept / rows * ceil_divide(level.length, layout::row_block);
  return groups * layout::row_lanes * invocations_for_one >= target.resident_invocations;
}

/// Elements that a vector of one row loads where the rows of the last `axes` kept axes are taken at once; nothing where
/// their text is too long.
std::optional<double> loaded_by_row(const ReduceLevel& level, int axes) {
  const int first_axis = level.kept_rank - axes;
  const ResultsTogether together = results_together(level.prologue, first_axis, level.kept_rank);
  if (together.prologue.code.size() > most_code_together) return std::nullopt;
  return static_cast<double>(elements_loaded(together.prologue, first_axis)) /
         static_cast<double>(together.results.size());
}

/// Those of a row tree on hardware that load the least.
int axes_that_load_least(const Target& target, const ReduceLevel& level) {
  const bool several_trips = level.length > layout::row_lanes * codegen::vector_width;
  const bool suits = several_trips || takes_each_row(target, level, 1);
  if (!suits || !can_be_together(level.prologue, level.reduction)) return 0;
  double fewest = worthwhile * static_cast<double>(elements_loaded(level.prologue, level.kept_rank));
  int best = 0;
  for (int axes = 1; axes <= level.kept_rank; ++axes) {
    const bool taken = several_trips ? can_be_taken(target, level, axes) : each_takes(target, level, axes);
    const std::optional<double> loaded = taken ? loaded_by_row(level, axes) : std::nullopt;
    if (!loaded || *loaded >= fewest) continue;
    fewest = *loaded;
    best = axes;
  }
  return best;
}

}  // namespace

int axes_together(const Target& target, const ReduceLevel& level) {
  const int64_t results = results_at_once(level.prologue, level.kept_rank, level.reduction);
  const int same_numbers = results > 1 ? 1 : 0;
  if (level.tree == layout::ReduceTree::column) return same_numbers;
  if (target.software) return level.kept / results >= fewest_items ? same_numbers : 0;
  if (target.max_invocations < layout::row_lanes) return 0;
  if (const int axes = axes_that_load_least(target, level); axes > 0) return axes;
  if (results == 1) return 0;
  return (level.length >= shortest_row ? can_be_taken : each_takes)(target, level, 1) ? 1 : 0;
}

}  // namespace eglantine::lower
