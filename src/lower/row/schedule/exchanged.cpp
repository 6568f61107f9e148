#include "lower/row/schedule/exchanged.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "lower/row/schedule/contiguous.hpp"

namespace eglantine::lower {
namespace {

/// Whether results lie in the order of the rows, or rows side by side, which are exchanged as wholes. How operands lie
/// decides nothing: a row keeps its bits where they are computed before.
bool lies_in_order(const Strided& out, int kept_rank) {
  const codegen::AxisSpan row{kept_rank, out.layout.shape.rank() - kept_rank};
  return codegen::access_pattern_of(out.layout, row) == codegen::AccessPattern::contiguous ||
         (kept_rank > 0 && std::abs(out.layout.strides[static_cast<size_t>(kept_rank - 1)]) == 1);
}

}  // namespace

int64_t lanes_that_exchange(const Target& target, const RowPlan& plan, int64_t most) {
  constexpr int64_t fewest = 8, most_elements = 24;
  int64_t best = lanes_of_a_subgroup;
  for (int64_t lanes = best / 2; lanes >= fewest && plan.rows * lanes >= target.resident_invocations; lanes /= 2)
    if (elements_each(plan.length, lanes, false) <= std::min(most_elements, most * vector_width) &&
        work_of(plan.length, lanes, false) <= work_of(plan.length, best, false))
      best = lanes;
  return best;
}

bool pays_exchange(const Target& target, const RowKernel& kernel, const RowPlan& plan, int64_t lanes_apart,
                   int64_t lanes) {
  if (target.subgroup != lanes_of_a_subgroup || !target.large_pages || plan.length % vector_width == 0 ||
      is_of_rows(kernel.out.layout, kernel.kept_rank) || !lies_in_order(kernel.out, kernel.kept_rank))
    return false;
  if (bytes_of(kernel.out.storage) == 2) return true;
  const auto is_f32 = [&](size_t operand) { return kernel.value.operands[operand].storage == StorageType::f32; };
  if (lanes_apart == 0 || kernel.out.storage != StorageType::f32 || !std::ranges::all_of(kernel.value.stored, is_f32))
    return false;
  constexpr std::ptrdiff_t fewest_folds = 3;
  const RowChain chain = chain_of(kernel, RowReads::once);
  return lanes < lanes_apart && std::ranges::count(chain.steps, RowStep::What::fold, &RowStep::what) >= fewest_folds;
}

}  // namespace eglantine::lower
