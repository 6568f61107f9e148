#include "lower/row/schedule/contiguous.hpp"

#include <cstdlib>
#include <set>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/row/schedule/exchanged.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word_bytes = 4, most_invocations = 1024;
// On plain memory registers also hold the next row.
constexpr int64_t vectors_prefetched = 4;

/// Whether one walk over each row gives all results, so that keeping its elements saves no reading.
bool walks_once(const RowKernel& kernel) {
  std::set<int> walks;
  for (const RowStep& step : chain_of(kernel, RowReads::joined).steps) {
    const bool folds = step.what == RowStep::What::fold, of_row = step.of_row || step.what == RowStep::What::row_value;
    if (folds ? step.joins == RowStep::Joins::none : !of_row) walks.insert(step.pass);
  }
  return walks.size() == 1;
}

/// Whether rows begin anywhere, so that none of their elements are stored by vec4, and steps can have elements that are
/// apart. Narrow ones that are read beside words, as of a mask, are a part of a word each.
bool begins_anywhere(const RowKernel& kernel, int64_t length) {
  const Expr& value = kernel.value;
  const codegen::AxisSpan row{kernel.kept_rank, value.domain.rank() - kernel.kept_rank};
  const auto walks = [&](const Layout& x) {
    return codegen::access_pattern_of(x, row) != codegen::AccessPattern::coordinates;
  };
  const auto stores_parts = [&](const Strided& x) { return is_narrow(x.storage); };
  const auto stored = [&](size_t operand) { return value.operands[operand]; };
  if (!value.operands.empty() && std::ranges::all_of(value.operands, stores_parts)) return false;
  return length % vector_width != 0 && value.piecewise.empty() && !stores_parts(kernel.out) &&
         std::ranges::none_of(value.stored, stores_parts, stored) && walks(kernel.out.layout) &&
         std::ranges::all_of(value.operands, walks, &Strided::layout) && std::ranges::all_of(value.iotas, walks) &&
         !is_of_rows(kernel.out.layout, kernel.kept_rank);
}

}  // namespace

int64_t elements_each(int64_t length, int64_t lanes, bool apart) {
  if (apart) return ceil_divide(length, lanes);
  return ceil_divide(ceil_divide(length, vector_width), lanes) * vector_width;
}

int64_t work_of(int64_t length, int64_t lanes, bool apart) {
  constexpr int64_t of_the_row = 4;
  return lanes * (elements_each(length, lanes, apart) + of_the_row);
}

namespace {

/// In how many lanes a row's steps are, before a lane has several. Lanes are fewer where that makes less work, of as
/// many rows as the device holds, and access 64 bytes of a row at a time. More than 20 elements of a lane would leave
/// fewer rows resident. A quarter less is worth the longer way of each lane (a sixth was not: softmax of 832,000 rows
/// of 245, 416 us and 447).
int64_t lanes_of_short_rows(const Target& target, const RowKernel& kernel, const RowPlan& plan, bool apart,
                            int64_t most) {
  constexpr int64_t piece = 64, most_elements = 20;
  const auto narrow = [&](const Strided& x) { return is_narrow(x.storage) && !is_of_rows(x.layout, kernel.kept_rank); };
  const bool half = narrow(kernel.out) || std::ranges::any_of(kernel.value.operands, narrow);
  const int64_t least = piece / (apart ? word_bytes : vector_width * (half ? word_bytes / 2 : word_bytes));
  const int64_t longest = std::min(most_elements, most * vector_width);
  int64_t best = lanes_of_a_subgroup;
  const auto work = [&](int64_t lanes) { return work_of(plan.length, lanes, apart); };
  for (int64_t lanes = best / 2; lanes >= least && plan.rows * lanes >= target.resident_invocations; lanes /= 2)
    if (elements_each(plan.length, lanes, apart) <= longest && 4 * work(lanes) <= 3 * work(best)) best = lanes;
  return best;
}

/// Lanes and the steps of each, where about so many share a row.
void share_row(const Target& target, const RowKernel& kernel, int64_t lanes, int64_t most, int64_t kept_at_most,
               RowPlan& plan) {
  const int64_t most_lanes = group_size_of(target, most_invocations);
  plan.vectors = std::min(most, ceil_divide(plan.steps(), lanes));
  plan.lanes = power_of_two(ceil_divide(plan.steps(), plan.vectors));
  plan.vectors = plan.lanes > most_lanes ? kept_at_most : ceil_divide(plan.steps(), plan.lanes);
  plan.lanes = std::min(plan.lanes, most_lanes);
  // The largest groups wait longest for one another: cross_entropy of 8192 x 32,000 383 us in registers, 349 else.
  plan.register_resident =
      plan.lanes * plan.vectors >= plan.steps() && !(plan.lanes == most_lanes && walks_once(kernel));
}

/// Lanes of one subgroup exchange as many steps as registers hold; in long rows each step may be the row's last, which
/// makes the text of more too long.
bool has_exchanged(const Target& target, const RowKernel& kernel, int64_t lanes, int64_t most, RowPlan& plan) {
  RowPlan shared = plan;
  share_row(target, kernel, lanes, most, most, shared);
  shared.exchanges = true;
  if (!shared.register_resident || shared.lanes < 2 || (shared.in_turns() && shared.unrolled())) return false;
  plan = shared;
  return true;
}

}  // namespace

void plan_contiguous(const Target& target, const RowKernel& kernel, int64_t kept, RowPlan& plan) {
  const bool apart = begins_anywhere(kernel, plan.length);
  const bool prefetch = !target.large_pages && !is_of_rows(kernel.out.layout, kernel.kept_rank);
  const int64_t kept_at_most = steps_kept(most_vectors, kept);
  const int64_t most = prefetch ? std::min(vectors_prefetched, kept_at_most) : kept_at_most;
  const int64_t lanes = lanes_of_short_rows(target, kernel, plan, apart, most),
                exchanging = lanes_that_exchange(target, plan, most);
  if (!pays_exchange(target, kernel, plan, apart ? lanes : 0, exchanging) ||
      !has_exchanged(target, kernel, exchanging, most, plan)) {
    // So many lanes access a whole line of memory at a time, or in a short row all that it has.
    if (apart) plan.apart = std::min(lanes, power_of_two(ceil_divide(plan.length, vector_width)));
    share_row(target, kernel, lanes, most, kept_at_most, plan);
  }
  if (!plan.register_resident) plan.vectors = vectors_reread;
  if (plan.register_resident && plan.apart == plan.lanes)
    plan.last_elements = ceil_divide(plan.length, plan.lanes) - (plan.vectors - 1) * vector_width;
  plan.whole = plan.register_resident && plan.lanes * plan.vectors * vector_width == plan.length;
  plan.group_size = std::max(plan.lanes, group_size_of(target, small_group));
  plan.subgroups = target.subgroup == lanes_of_a_subgroup && plan.group_size >= lanes_of_a_subgroup;
  plan.prefetch = plan.register_resident && prefetch;
}

}  // namespace eglantine::lower
