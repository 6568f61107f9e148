#include "lower/reduce/any_order.hpp"

#include <algorithm>
#include <bit>

#include "codegen/bindings.hpp"
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

}  // namespace

AnyOrderPlan any_order_plan(const Target& target, const ReduceLevel& level) {
  AnyOrderPlan plan;
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
  if (target.software || level.tree != layout::ReduceTree::column || !is_arg(level.reduction) ||
      level.length <= layout::column_block)
    return false;
  const AnyOrderPlan plan = any_order_plan(target, level);
  return plan.groups() <= target.max_groups && (plan.shares == 1 || plan.tiles <= exchange_counters);
}

std::string any_order_functions(DType dtype, int counters, int left) {
  const std::string counter = codegen::block_name(counters) + "[tile]", block = codegen::block_name(left);
  const std::string type(codegen::value_type(dtype, 4));
  std::string leave = "void eg_leave(uint place, EgPairs result) {\n  place *= 8u;\n";
  std::string values, indices;
  for (int j = 0; j < 4; ++j) {
    const std::string component = {'.', codegen::components_of_vec4[static_cast<size_t>(j)]};
    const std::string value = block + "[place + " + std::to_string(2 * j) + "u]";
    const std::string index = block + "[place + " + std::to_string(2 * j + 1) + "u]";
    leave += "  " + value + " = " + codegen::to_bits(dtype, "result.value" + component) + ";\n  " + index +
             " = result.index" + component + ";\n";
    values += (j > 0 ? ", " : "") + codegen::from_bits(dtype, value);
    indices += (j > 0 ? ", " : "") + index;
  }
  return "uint eg_arrive(uint tile) { return atomicAdd(" + counter + ", 1u) + 1u; }\n" + "void eg_reset(uint tile) { " +
         counter + " = 0u; }\n" + leave + "}\n" + "EgPairs eg_left(uint place) {\n  place *= 8u;\n  return EgPairs(" +
         type + "(" + values + "), uvec4(" + indices + "));\n}\n";
}

}  // namespace eglantine::lower
