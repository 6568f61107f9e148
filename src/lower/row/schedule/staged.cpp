#include "lower/row/schedule/staged.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

using What = RowStep::What;

// A row of two elements is half a vector, which an invocation loads by itself in half of the time, unless it has four.
// From 64 on lanes of a row read whole lines of memory, and a shuffle of theirs serves four elements.
constexpr int64_t shortest_staged = 3, longest_staged = 64;
// Where nothing of the elements is stored lanes read longer rows once and wait for no results: of rows of 59 shared
// memory holds 200 a multiprocessor, too few invocations to load some while others combine theirs.
constexpr int64_t longest_of_values = 48;
// Where rows are so small a part of the invocations that the device holds, each row is several invocations' work.
constexpr int64_t fewest_of_resident = 8;
constexpr int64_t staged_group = 128, fewest_staged_lanes = 32, staged_word = 4;
// Of shared memory a group: several groups load while others compute.
constexpr int64_t staged_bytes = 16384;
// Vectors of an invocation, and those that it loads at a time: enough in flight also where rows are shortest.
constexpr int64_t vectors_each = 8;
// Four rows are as many vectors as a row has elements: of so many, in all slots, registers hold them beside what is
// computed, and shared memory of 48 KiB six subgroups' or more.
constexpr int64_t most_in_fours = 16;

int64_t power_of_two_from(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

bool is_contiguous_from(const Layout& x, int axis) {
  return codegen::access_pattern_of(x, {axis, x.shape.rank() - axis}) == codegen::AccessPattern::contiguous;
}

bool is_shared_by_rows(const Layout& x, int kept_rank) {
  for (int axis = 0; axis < kept_rank; ++axis)
    if (x.shape[axis] > 1 && x.strides[static_cast<size_t>(axis)] != 0) return false;
  return true;
}

bool lies_side_by_side(const Layout& x, int kept_rank) {
  constexpr int64_t fewest = 8;
  const int last = kept_rank - 1;
  return last >= 0 && std::abs(x.strides[static_cast<size_t>(last)]) == 1 && x.shape[last] >= fewest;
}

/// Whether a row's staged elements lie one behind the other, or beside those of other rows, and no others are read in a
/// row's own walk. A value of a row may be read anywhere, as at an index.
bool reads_in_order(const RowStep& step, int kept_rank) {
  if (!(step.of_row || step.expr.piecewise.empty()) || !step.expr.calls.empty()) return false;
  const bool side_by_side = reads_side_by_side(step, kept_rank);
  return std::ranges::all_of(step.expr.operands, [&](const Strided& x) {
    const bool in_order = step.staged && is_contiguous_from(x.layout, kept_rank);
    if (step.staged && !side_by_side) return in_order;
    return in_order || step.of_row || is_of_rows(x.layout, kept_rank) || is_shared_by_rows(x.layout, kept_rank) ||
           (side_by_side && lies_side_by_side(x.layout, kept_rank));
  });
}

bool is_served(const RowStep& step, int kept_rank) {
  if (!reads_in_order(step, kept_rank)) return false;
  if (step.of_row) return true;
  if (step.expr.dtype() != DType::f32) return false;
  return step.what != What::store || (step.out.dtype() == DType::f32 && is_contiguous_from(step.out.layout, 0));
}

}  // namespace

bool reads_side_by_side(const RowStep& step, int kept_rank) {
  return step.staged && std::ranges::any_of(step.expr.operands, [&](const Strided& x) {
           return lies_side_by_side(x.layout, kept_rank) && !is_contiguous_from(x.layout, kept_rank);
         });
}

StagedSlots staged_slots(const RowChain& chain) {
  StagedSlots slots{std::vector<int>(chain.values.size(), -1), std::vector<int>(chain.steps.size(), -1)};
  std::vector<int> last_pass;  // by slot: that reads what it has
  const auto take = [&](int pass, int last) {
    size_t slot = 0;
    while (slot < last_pass.size() && last_pass[slot] > pass) ++slot;
    if (slot == last_pass.size()) last_pass.push_back(last);
    last_pass[slot] = last;
    return static_cast<int>(slot);
  };
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    const RowStep& step = chain.steps[i];
    if (step.of_row || step.what == What::fold) continue;
    // What the walk of a pass has read of an element it may replace; staged values are there before.
    const int pass = step.staged ? -1 : step.pass;
    if (step.what == What::store)
      slots.of_stores[i] = take(pass, std::numeric_limits<int>::max());
    else
      slots.of_values[static_cast<size_t>(step.value)] = take(pass, chain.values[static_cast<size_t>(step.value)].last);
  }
  slots.count = static_cast<int>(last_pass.size());
  return slots;
}

namespace {

/// A group is a subgroup, which waits for no other: what one loads, others compute meanwhile.
RowPlan in_fours(const Target& target, RowPlan plan) {
  plan.fours = plan.strided = true;
  plan.group_size = group_size_of(target, lanes_of_a_subgroup);
  plan.vectors = plan.length;
  return plan;
}

}  // namespace

std::optional<RowPlan> plan_staged(const Target& target, const RowKernel& kernel, RowPlan plan) {
  const bool many = plan.rows * fewest_of_resident >= target.resident_invocations;
  const int64_t longest = is_of_rows(kernel.out.layout, kernel.kept_rank) ? longest_of_values : longest_staged;
  if (!many || plan.length < 2 || plan.length > longest) return std::nullopt;
  const RowChain chain = chain_of(kernel, RowReads::staged);
  const auto served = [&](const RowStep& step) { return is_served(step, kernel.kept_rank); };
  if (std::ranges::none_of(chain.steps, &RowStep::staged) || !std::ranges::all_of(chain.steps, served))
    return std::nullopt;
  plan.staged = true;
  plan.slots = staged_slots(chain).count;
  const bool across =
      std::ranges::any_of(chain.steps, [&](const RowStep& step) { return reads_side_by_side(step, kernel.kept_rank); });
  const bool in_order = std::ranges::any_of(chain.steps, [&](const RowStep& step) {
    return !step.of_row && (step.what == What::store || (step.staged && !reads_side_by_side(step, kernel.kept_rank)));
  });
  const bool has_vectors = plan.length % codegen::vector_width == 0;
  if (plan.slots * plan.length <= most_in_fours && (across ? in_order || !plan.strided : !has_vectors))
    return in_fours(target, plan);
  if ((plan.strided && !(across && in_order)) || has_vectors || plan.length < shortest_staged) return std::nullopt;
  plan.strided = false;
  plan.group_size = group_size_of(target, staged_group);
  plan.rows_each = power_of_two_from(ceil_divide(vectors_each, plan.steps()));
  const auto passes = [&](int64_t bytes) { return plan.staged_words() * staged_word > bytes; };
  while (plan.rows_each > 1 && passes(staged_bytes)) plan.rows_each /= 2;
  while (plan.group_size > fewest_staged_lanes && passes(staged_bytes)) plan.group_size /= 2;
  if (passes(target.max_shared_bytes)) return std::nullopt;
  const int64_t staged = power_of_two_from(std::ranges::count(chain.steps, true, &RowStep::staged));
  plan.vectors = std::max<int64_t>(1, std::min(vectors_each / staged, plan.rows_each * plan.steps()));
  return plan;
}

}  // namespace eglantine::lower
