#include "codegen/source.hpp"
#include "lower/reduce/program/accumulator_text.hpp"
#include "lower/reduce/program/at_once_text.hpp"
#include "lower/reduce/program/nans_apart.hpp"
#include "lower/reduce/program/program_text.hpp"
#include "lower/reduce/schedule/any_order.hpp"
#include "lower/reduce/schedule/eights.hpp"

namespace eglantine::lower {
namespace {

using codegen::define;

std::string staged_defines(const StagedRows& staged, int64_t length) {
  return define("EG_ROWS_EACH", staged.rows_each) + define("EG_VECTORS", staged.vectors) +
         define("EG_WORDS", staged.words) + staged_macros(staged, length);
}

std::string subgroup_defines(const GroupPlan& plan, Reduction reduction) {
  const int64_t lanes_each = (int64_t{1} << plan.lanes_log2) / subgroup_of_rows;
  return define("EG_LANES_EACH", lanes_each) + define("EG_VECTORS_OF_BLOCK", layout::row_block / vector_width) +
         define("EG_VECTORS", plan.vectors_at_once) + define("EG_ITEMS_EACH", plan.rows_at_once) +
         subgroup_macros(plan.rows_at_once, plan.vectors_at_once > 0 ? plan.vectors_at_once : plan.unroll, lanes_each) +
         (plan.apart ? define("EG_APART") : "") + shuffle_define(reduction);
}

std::string eights_defines(const GroupPlan& plan, const Combined& combined) {
  const bool finds_nans = has_nans_apart(plan.pattern, combined) && is_arg(combined.reduction),
             exact = is_exact(combined.reduction, combined.dtype);
  return define("EG_VECTORS", plan.vectors_at_once) + define("EG_ITEMS_EACH", plan.rows_at_once) +
         eights_macros(plan.rows_at_once, plan.vectors_at_once, exact, finds_nans) + shuffle_define(combined.reduction);
}

std::string group_defines(const GroupPlan& plan) {
  return define("EG_SLOTS", plan.slots) + define("EG_LANES", layout::row_lanes) +
         define("EG_TRIPS", layout::row_trips) + define("EG_LANES_EACH", plan.slots / plan.group_size) +
         (plan.unroll == 1 ? define("EG_ROLLED") : "") +
         (plan.pattern == ReducePattern::row_two_level ? define("EG_TWO_LEVEL") : "") +
         (plan.pattern == ReducePattern::row_single_pass ? define("EG_SINGLE_PASS") : "");
}

std::string row_defines_of(const GroupPlan& plan, const Combined& combined, int64_t length) {
  switch (plan.pattern) {
    case ReducePattern::row_serial:
      return define("EG_LANES", layout::row_lanes);
    case ReducePattern::row_short:
      return loads_at_once(plan.unroll) + define("EG_ROW_LANES", int64_t{1} << plan.lanes_log2);
    case ReducePattern::row_staged:
      return staged_defines(plan.staged, length);
    case ReducePattern::row_fours:
      return loads_at_once(plan.unroll) + at_once_defines(plan.pattern, combined, length);
    case ReducePattern::row_eights:
      return eights_defines(plan, combined);
    case ReducePattern::row_subgroup:
      return subgroup_defines(plan, combined.reduction);
    case ReducePattern::row_each:
      return define("EG_LANES", layout::row_lanes) + row_macros(plan.at_once) +
             (is_exact(combined.reduction, combined.dtype) ? define("EG_ANY_ORDER") : "");
    case ReducePattern::row_together:
    case ReducePattern::row_serial_together:
      return define("EG_LANES", layout::row_lanes) + define("EG_TRIPS", layout::row_trips) + row_macros(plan.at_once) +
             (length % vector_width != 0 ? define("EG_TAIL") : "");
    default:
      return group_defines(plan);
  }
}

std::string column_defines_of(const GroupPlan& plan, const Combined& combined, int64_t length) {
  const ReducePattern pattern = plan.pattern;
  if (pattern == ReducePattern::column_short) return at_once_defines(pattern, combined, length);
  if (pattern == ReducePattern::column_any_order)
    return define("EG_SIDE", plan.side) +
           define("EG_PARTS", plan.lanes_singly > 0 ? "EG_ACCUMULATOR" : "EG_ACCUMULATORS") +
           (plan.lanes_singly > 0 ? define("EG_SINGLY") : "") + (plan.leaves ? define("EG_SHARED_TILES") : "") +
           (looks_for_nans_apart(pattern, combined) ? define("EG_NANS_APART") : "");
  std::string text;
  if (pattern == ReducePattern::column_shared)
    text += define("EG_SIDE", plan.side) + define("EG_PARTS", "EG_ACCUMULATORS") + define("EG_SHARED_TILES");
  if (pattern == ReducePattern::column_serial) text += define("EG_SERIAL");
  if (plan.split) text += define("EG_SPLIT");
  if (pattern == ReducePattern::column_split) text += define("EG_NEIGHBOURS", plan.side);
  if (pattern == ReducePattern::column_two_level)
    text += define("EG_TWO_LEVEL", plan.side) + (plan.long_prologue && !plan.split ? define("EG_SERIAL") : "");
  if (plan.trips > 0) text += define("EG_TRIPS", plan.trips);
  if (pattern == ReducePattern::column_spread) text += define("EG_SPREAD") + define("EG_SLOTS", plan.slots);
  return text + define("EG_ROWS", layout::column_block) +
         accumulator_macros(static_cast<int>(layout::column_accumulators));
}

}  // namespace

std::string_view template_of(ReducePattern pattern) {
  if (pattern == ReducePattern::row_short) return "reduce_row_short.comp";
  if (pattern == ReducePattern::row_staged) return "reduce_row_staged.comp";
  if (pattern == ReducePattern::row_fours) return "reduce_row_fours.comp";
  if (pattern == ReducePattern::column_short) return "reduce_column_short.comp";
  if (pattern == ReducePattern::row_eights) return "reduce_row_eights.comp";
  if (pattern == ReducePattern::row_subgroup) return "reduce_row_subgroup.comp";
  if (pattern == ReducePattern::row_serial) return "reduce_row_serial.comp";
  if (pattern == ReducePattern::row_serial_together) return "reduce_row_serial_together.comp";
  if (pattern == ReducePattern::row_together) return "reduce_row_together.comp";
  if (pattern == ReducePattern::row_each) return "reduce_row_each.comp";
  if (has_shared_tiles(pattern)) return "reduce_column_tiles.comp";
  return pattern <= ReducePattern::row_single_pass ? "reduce_row.comp" : "reduce_column.comp";
}

std::string defines_of(const GroupPlan& plan, const Combined& combined, int64_t length) {
  const std::string accumulators = has_nans_apart(plan.pattern, combined)
                                       ? nans_apart_defines(combined.reduction)
                                       : accumulator_defines(combined.reduction, combined.dtype);
  const std::string all = accumulators + define("EG_GROUP_SIZE", plan.group_size);
  const bool defines_loads = plan.pattern == ReducePattern::row_fours || plan.pattern == ReducePattern::row_short;
  return plan.is_row()
             ? all + (plan.of_memory ? define("EG_BEFORE", "eg_load_before") : "") +
                   (defines_loads ? "" : define("EG_UNROLL", plan.unroll)) + row_defines_of(plan, combined, length)
             : all + loads_at_once(plan.unroll) + column_defines_of(plan, combined, length);
}

}  // namespace eglantine::lower
