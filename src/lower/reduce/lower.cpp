#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/value_text.hpp"
#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/level_blocks.hpp"
#include "lower/reduce/level_runner.hpp"
#include "lower/reduce/rewrites/across.hpp"
#include "lower/reduce/rewrites/boolean_words.hpp"
#include "lower/reduce/rewrites/boxes.hpp"
#include "lower/reduce/rewrites/kept_order.hpp"
#include "lower/reduce/rewrites/kept_parts.hpp"
#include "lower/reduce/rewrites/read_again.hpp"
#include "lower/reduce/rewrites/rows_in_fours.hpp"
#include "lower/reduce/rewrites/short_runs.hpp"
#include "lower/reduce/rewrites/unrolled.hpp"
#include "lower/reduce/schedule/any_order.hpp"

namespace eglantine::lower {
namespace {

/// Whether one binding covers what the epilogue reads at all results: the first elements of long rows lie far apart,
/// and windows of one block may take many rows.
bool covers_epilogue(const Target& target, const Expr& epilogue) {
  return std::ranges::all_of(epilogue.operands, [&](const Strided& operand) {
    return layout::reach(operand.layout).count() * bytes_of(operand.storage) + target.binding_alignment <=
           target.max_block_bytes;
  });
}

void lower_levels(Lowering& lowering, const ReduceKernel& kernel) {
  ReduceLevel level = first_level(kernel);
  if (worth_as_column(lowering.target(), level)) level.tree = layout::ReduceTree::column;
  const DType dtype = kernel.prologue.dtype();
  const int64_t words = is_arg(kernel.reduction) ? 2 : 1;
  choose_blocks(lowering, level);
  while (!level.is_last()) {
    level.partials = lowering.temporary(level.kept * level.blocks * words * size_of(dtype));
    LevelRunner(lowering, level).run();
    level = next_level(level, dtype);
    choose_blocks(lowering, level);
  }
  LevelRunner(lowering, level).run();
}

}  // namespace

void lower(Lowering& lowering, const ReduceKernel& given) {
  ReduceKernel kernel = lowering.target().software ? given : unflipped(without_repeats(given));
  if (const std::optional<ReduceKernel> words = of_boolean_words(kernel)) return lower(lowering, *words);
  if (run_in_boxes(lowering, kernel)) return;
  if (kernel.tree == layout::ReduceTree::any) kernel.tree = layout::ReduceTree::row;
  if (run_short_runs_last(lowering, kernel) || run_in_memory_order(lowering, kernel)) return;
  if (reads_across(lowering.target(), kernel)) return lower(lowering, of_copy(lowering, kernel));
  if (const std::optional<MapKernel> map = unrolled(lowering.target(), kernel)) return lower(lowering, *map);
  kernel = with_lines_of_what_is_read_again(lowering, std::move(kernel));
  if (const std::vector<ReduceKernel> fours = fours_at_once(lowering.target(), kernel); !fours.empty()) {
    // What is left first: where the others have two levels, nothing stands between, and both run at once.
    for (auto part = fours.rbegin(); part != fours.rend(); ++part) lower(lowering, *part);
    return;
  }
  if (run_in_halves(lowering, kernel)) return;
  const Shape& results = kernel.epilogue.domain;
  if (covers_epilogue(lowering.target(), kernel.epilogue)) return lower_levels(lowering, kernel);
  ReduceKernel plain = kernel;
  plain.out = lowering.temporary(codegen::accumulator_dtype(kernel.epilogue), layout::contiguous(results));
  plain.epilogue = accumulator_over(results, plain.out.dtype());
  lower_levels(lowering, plain);
  lower(lowering, MapKernel{reading_accumulator(kernel.epilogue, plain.out), kernel.out});
}

}  // namespace eglantine::lower
