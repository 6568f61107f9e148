#include "lower/row/schedule/exchanged.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "codegen/addresses/access_pattern.hpp"
#include "lower/row/schedule/contiguous.hpp"

namespace eglantine::lower {
namespace {

/// Whether a kernel's results begin anywhere in memory, but lie in the order of the rows, as all that it reads of them
/// does, or beside them.
bool lies_in_order(const RowKernel& kernel) {
  const codegen::AxisSpan row{kernel.kept_rank, kernel.value.domain.rank() - kernel.kept_rank};
  const auto in_order = [&](const Strided& x) {
    const int64_t beside = kernel.kept_rank > 0 ? x.layout.strides[static_cast<size_t>(kernel.kept_rank - 1)] : 0;
    return codegen::access_pattern_of(x.layout, row) != codegen::AccessPattern::strided || std::abs(beside) == 1;
  };
  return in_order(kernel.out) && std::ranges::all_of(kernel.value.operands, in_order);
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
      is_of_rows(kernel.out.layout, kernel.kept_rank) || !lies_in_order(kernel))
    return false;
  if (bytes_of(kernel.out.storage) == 2) return true;
  const auto is_f32 = [&](size_t operand) { return kernel.value.operands[operand].storage == StorageType::f32; };
  if (lanes_apart == 0 || kernel.out.storage != StorageType::f32 || !std::ranges::all_of(kernel.value.stored, is_f32))
    return false;
  constexpr std::ptrdiff_t fewest_folds = 3;
  const RowChain chain = chain_of(kernel, RowReads::once);
  return 5 * work_of(plan.length, lanes, false) <= 4 * work_of(plan.length, lanes_apart, true) &&
         std::ranges::count(chain.steps, RowStep::What::fold, &RowStep::what) >= fewest_folds;
}

}  // namespace eglantine::lower
