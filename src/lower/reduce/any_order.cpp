#include "lower/reduce/any_order.hpp"

#include <algorithm>
#include <bit>

#include "codegen/bindings.hpp"
#include "codegen/combine_text.hpp"
#include "codegen/glsl_type.hpp"
#include "graph/op_info.hpp"
#include "layout/divide.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t usual_group = 256;
// 256 bytes of a row: whole lines of the cache.
constexpr int64_t most_side = 16;
// Rows that an invocation takes at least, so that its loads weigh more than combining lanes and groups.
constexpr int64_t fewest_rows = 8;
// In large pages many short groups are faster than long chunks; what they leave is then several of a lane's rows.
constexpr int64_t rows_a_round = 64, most_left_a_lane = 8;

int64_t words_a_vector(Reduction reduction) { return vector_width * (is_arg(reduction) ? 2 : 1); }

/// Whether the order changes no value: floats are rounded by sums, products and users' operations alone.
bool is_exact(const ReduceLevel& level) {
  const Reduction by = level.reduction;
  return level.prologue.dtype() != DType::f32 ||
         (by != Reduction::sum && by != Reduction::prod && by != Reduction::custom);
}

}  // namespace

AnyOrderPlan any_order_plan(const Target& target, const ReduceLevel& level) {
  AnyOrderPlan plan;
  plan.words_a_vector = words_a_vector(level.reduction);
  const int64_t vectors = ceil_divide(level.kept, vector_width);
  plan.group = group_size_of(target, usual_group);
  plan.side = std::min({most_side, plan.group, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(vectors)))});
  plan.tiles = ceil_divide(vectors, plan.side);
  const int64_t resident = std::max<int64_t>(1, target.resident_invocations / plan.group);
  const int64_t most = level.length / (plan.lanes() * fewest_rows), busy = ceil_divide(resident, plan.tiles);
  const int64_t rounds = std::min(level.length / (plan.lanes() * rows_a_round), most_left_a_lane * plan.lanes());
  const int64_t shares = std::min(most, target.large_pages ? std::max(busy, rounds) : busy);
  const int64_t lines = ceil_divide(level.length, plan.lanes());
  plan.rows = ceil_divide(lines, std::max<int64_t>(1, shares)) * plan.lanes();
  plan.shares = ceil_divide(level.length, plan.rows);
  return plan;
}

bool worth_any_order(const Target& target, const ReduceLevel& level) {
  if (target.software || level.tree != layout::ReduceTree::column || level.length <= layout::column_block ||
      !is_exact(level))
    return false;
  // Of plain values two levels of the tree are as quick, where they are all.
  const bool two_levels = level.length <= layout::column_block * layout::column_block;
  if (!is_arg(level.reduction) && two_levels && worth_fusing_levels(target, level)) return false;
  const AnyOrderPlan plan = any_order_plan(target, level);
  return plan.groups() <= target.max_groups && (plan.shares == 1 || plan.tiles <= exchange_counters);
}

std::string any_order_functions(Reduction reduction, DType dtype, int counters, int left) {
  dtype = codegen::combined_as(dtype);
  const std::string counter = codegen::block_name(counters) + "[tile]", block = codegen::block_name(left);
  const std::string pitch = std::to_string(words_a_vector(reduction)) + "u";
  std::string leave, values, indices;
  for (int j = 0; j < 4; ++j) {
    const char component = codegen::components_of_vec4[static_cast<size_t>(j)];
    const std::string value = block + "[place + " + std::to_string(j) + "u]";
    const std::string index = block + "[place + " + std::to_string(4 + j) + "u]", comma = j > 0 ? ", " : "";
    const std::string from = is_arg(reduction) ? std::string("result.value.") : "result.";
    leave += "  " + value + " = " + codegen::to_bits(dtype, from + component) + ";\n";
    if (is_arg(reduction)) leave += "  " + index + " = result.index." + component + ";\n";
    values += comma + codegen::from_bits(dtype, value);
    indices += comma + index;
  }
  values = std::string(codegen::value_type(dtype, 4)) + "(" + values + ")";
  const std::string left_there = is_arg(reduction) ? "EgPairs(" + values + ", uvec4(" + indices + "))" : values;
  return "uint eg_arrive(uint tile) { return atomicAdd(" + counter + ", 1u) + 1u; }\n" + "void eg_reset(uint tile) { " +
         counter + " = 0u; }\n" + "void eg_leave(uint place, EG_ACCUMULATORS result) {\n  place *= " + pitch + ";\n" +
         leave + "}\n" + "EG_ACCUMULATORS eg_left(uint place) {\n  place *= " + pitch + ";\n  return " + left_there +
         ";\n}\n";
}

}  // namespace eglantine::lower
