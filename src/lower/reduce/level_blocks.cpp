#include "lower/reduce/level_blocks.hpp"

#include <utility>

#include "graph/op/op_info.hpp"
#include "layout/divide.hpp"
#include "lower/expressions.hpp"
#include "lower/reduce/level_runner.hpp"
#include "lower/reduce/schedule/any_order.hpp"
#include "lower/reduce/schedule/shared_columns.hpp"
#include "lower/reduce/schedule/together.hpp"

namespace eglantine::lower {
namespace {

/// What the groups of a level's tiles share.
void share_tiles(Lowering& lowering, ReduceLevel& level, const TilePlan& plan) {
  level.counters = lowering.exchange();
  level.left = lowering.temporary(plan.words() * int64_t{sizeof(uint32_t)});
}

/// Takes all rows at once where that pays and fits.
bool chooses_any_order(Lowering& lowering, ReduceLevel& level) {
  if (!worth_any_order(lowering.target(), level)) return false;
  ReduceLevel whole = level;
  whole.any_order = true;
  whole.singly = worth_taking_singly(level);
  TilePlan plan = any_order_plan(lowering.target(), whole);
  if (plan.groups() > lowering.target().max_groups) {
    whole.singly = false;
    plan = any_order_plan(lowering.target(), whole);
  }
  if (plan.shares > 1) share_tiles(lowering, whole, plan);
  if (!LevelRunner(lowering, whole).fits_whole()) return false;
  level = std::move(whole);
  return true;
}

void set_blocks(ReduceLevel& level, bool two_level) {
  level.two_level = two_level;
  level.blocks = ceil_divide(level.length, level.block());
}

/// Computes results at once where that pays and fits; of columns with two levels fused, where that does too.
bool chooses_together(Lowering& lowering, ReduceLevel& level) {
  level.together = axes_together(lowering.target(), level);
  const bool of_columns = level.tree == layout::ReduceTree::column;
  for (const bool two_level : {true, false}) {
    if (level.together == 0 || (two_level && !(of_columns && worth_fusing_levels(lowering.target(), level)))) continue;
    set_blocks(level, two_level);
    const LevelRunner runner(lowering, level);
    if (of_columns ? runner.fits_whole() : runner.fits_in_rows()) return true;
  }
  level.together = 0;
  return false;
}

/// Has groups share two levels of columns where that pays and fits.
bool chooses_shared(Lowering& lowering, ReduceLevel& level) {
  if (!worth_sharing_columns(lowering.target(), level)) return false;
  ReduceLevel whole = level;
  whole.shared = true;
  set_blocks(whole, true);
  share_tiles(lowering, whole, shared_columns_plan(lowering.target(), whole));
  if (!LevelRunner(lowering, whole).fits_whole()) return false;
  level = std::move(whole);
  return true;
}

}  // namespace

void choose_blocks(Lowering& lowering, ReduceLevel& level) {
  level.blocks = 1;
  if (chooses_any_order(lowering, level)) return;
  if (chooses_together(lowering, level)) return;
  set_blocks(level, worth_fusing_levels(lowering.target(), level));
  if (level.two_level && !LevelRunner(lowering, level).fits_whole()) set_blocks(level, false);
  if (level.two_level || chooses_shared(lowering, level) || !worth_single_pass(lowering.target(), level)) return;
  level.single_pass = true;
  level.partials = lowering.exchange();
  if (!LevelRunner(lowering, level).fits_whole()) level.single_pass = false;
}

ReduceLevel next_level(const ReduceLevel& level, DType dtype) {
  const bool pairs = is_arg(level.reduction), row = level.tree == layout::ReduceTree::row;
  const int64_t words = pairs ? 2 : 1;
  Layout values{{level.kept, level.blocks}, {level.blocks * words, words}, 0};
  if (!row) values.strides = {words, level.kept * words};
  const auto reading = [&](DType type, int64_t offset) {
    Layout layout = values;
    layout.offset = offset;
    return load_of({level.partials, word_storage(type), layout});
  };
  ReduceLevel next = level;
  next.prologue = reading(dtype, 0);
  if (pairs) next.indices = reading(DType::u32, 1);
  next.kept_rank = 1;
  next.together = 0;
  next.length = level.blocks;
  next.partials = nullptr;
  return next;
}

}  // namespace eglantine::lower
