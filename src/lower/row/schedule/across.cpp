#include "lower/row/schedule/across.hpp"

#include <algorithm>
#include <cstdlib>

#include "codegen/value_text.hpp"
#include "lower/across.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Rows of a group: as many words of memory as fill two sectors wherever they begin, or one of long rows.
constexpr int64_t rows_of_a_tile = 16, rows_of_a_long_tile = 8, fewest_beside = 8;
// Of shared memory a group: of 48 KiB a multiprocessor two groups or more, of which one loads while another computes;
// the smaller groups are, the more of them.
constexpr int64_t tile_bytes = 24576, bytes_of_a_word = 4, largest_tile_group = 1024, smallest_tile_group = 128;
// Fewer elements are read in any order in the time of the exchange.
constexpr int64_t fewest_across = 1 << 18;

bool is_beside(const Strided& x, const RowPlan& plan) {
  const int inner = plan.kept_rank - 1, last = x.layout.shape.rank() - 1;
  return std::abs(x.layout.strides[static_cast<size_t>(inner)]) == 1 && x.layout.shape[inner] >= fewest_beside &&
         lies_across(x, last, plan.rows * plan.length);
}

bool is_shared(const Layout& x, int kept_rank) {
  return std::all_of(x.strides.begin(), x.strides.begin() + kept_rank, [](int64_t stride) { return stride == 0; });
}

/// Whether what a step makes of each element of operands alone, which stays, is of such as lie across.
bool is_of_operands_across(const RowStep& step, const RowPlan& plan) {
  if (step.what != RowStep::What::keep || step.of_row || step.pass != 0 || plan.kept_rank < 1) return false;
  const Expr& value = step.expr;
  const bool plain = value.piecewise.empty() && value.calls.empty() && codegen::accumulators_of(value).empty();
  if (!plain || value.dtype() != DType::f32) return false;
  const auto beside = [&](const Strided& x) { return is_beside(x, plan); };
  return std::ranges::any_of(value.operands, beside) && std::ranges::all_of(value.operands, [&](const Strided& x) {
           return beside(x) || is_of_rows(x.layout, plan.kept_rank) || is_shared(x.layout, plan.kept_rank);
         });
}

bool is_put_across(const RowStep& step, const RowPlan& plan) {
  return step.what == RowStep::What::store && !step.of_row && plan.kept_rank > 0 && step.expr.dtype() == DType::f32 &&
         step.out.storage == StorageType::f32 && is_beside(step.out, plan);
}

/// Invocations of a group whose rows have so many tiles in shared memory; 0 where it is too small.
int64_t group_across(const Target& target, const RowPlan& plan, size_t tiles) {
  const int64_t bytes = std::min(tile_bytes, target.max_shared_bytes / 2);
  for (const int64_t rows : {rows_of_a_tile, rows_of_a_long_tile}) {
    const int64_t group = std::max(smallest_tile_group, rows * plan.lanes), all = group / plan.lanes;
    const bool fits = static_cast<int64_t>(tiles) * all * plan.tile_pitch() * bytes_of_a_word <= bytes;
    if (fits && group <= group_size_of(target, largest_tile_group)) return group;
  }
  return 0;
}

}  // namespace

bool may_read_across(const Target& target, const RowPlan& plan) {
  return !target.software && !plan.staged && !plan.strided && plan.register_resident && !plan.prefetch &&
         plan.rows >= rows_of_a_tile && plan.rows * plan.length >= fewest_across && group_across(target, plan, 1) > 0;
}

void plan_across(const Target& target, const RowChain& chain, RowPlan& plan) {
  if (!may_read_across(target, plan)) return;
  const auto tiles = [&] { return plan.across.size() + plan.put_across.size(); };
  const auto fits = [&] { return group_across(target, plan, tiles() + 1) > 0; };
  // Results first: that they go back so decides the order in which a row is combined.
  for (size_t i = 0; i < chain.steps.size(); ++i)
    if (is_put_across(chain.steps[i], plan) && fits()) plan.put_across.insert(i);
  for (size_t i = 0; i < chain.steps.size(); ++i)
    if (is_of_operands_across(chain.steps[i], plan) && fits()) plan.across.insert(i);
  if (tiles() > 0) plan.group_size = group_across(target, plan, tiles());
}

bool puts_rows_across(const RowPlan& plan, const RowChain& chain) {
  for (size_t i = 0; i < chain.steps.size(); ++i)
    if (chain.steps[i].what == RowStep::What::store && !chain.steps[i].of_row && !plan.put_across.contains(i))
      return false;
  return !plan.put_across.empty();
}

bool reads_rows_across(const RowPlan& plan, const RowChain& chain, const Strided& operand) {
  const auto reads = [&](const RowStep& step) {
    return std::ranges::any_of(step.expr.operands, [&](const Strided& x) {
      return x.buffer == operand.buffer && x.storage == operand.storage && x.layout.offset == operand.layout.offset &&
             x.layout.strides == operand.layout.strides;
    });
  };
  bool found = false;
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    if (!reads(chain.steps[i])) continue;
    if (!plan.across.contains(i)) return false;
    found = true;
  }
  return found;
}

}  // namespace eglantine::lower
