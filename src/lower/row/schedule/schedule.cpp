#include "lower/row/schedule/schedule.hpp"

#include <algorithm>
#include <bit>

#include "codegen/addresses/access_pattern.hpp"
#include "layout/divide.hpp"
#include "lower/program_dispatch.hpp"
#include "lower/row/schedule/across.hpp"
#include "lower/row/schedule/contiguous.hpp"
#include "lower/row/schedule/staged.hpp"

namespace eglantine::lower {
namespace {

constexpr int64_t word = 4;
// Columns that one lane has to itself, in text without loops, which drivers need not unroll: registers for so many of
// their vectors, and groups small enough for several on a multiprocessor.
constexpr int64_t vectors_unrolled = 24, group_unrolled = 128;
// Strided rows: vectors of columns side by side, and invocations. Small pages want longer contiguous runs.
constexpr int64_t column_vectors = 16, wide_column_vectors = 32, column_group = 512;
constexpr int64_t column_vectors_small_pages = 32, column_group_small_pages = 1024;
// In large pages fewer, a sector of memory at least, where groups are few.
constexpr int64_t least_column_vectors = 2;
// A software device runs one SIMD vector of eight invocations through all its trips before the next. The eight share a
// row of so many steps, and take shorter rows side by side.
constexpr int64_t software_group = 8, software_vectors = 8, steps_to_share = 64, longest_unshared = 4096;

void plan_software(const Target& target, RowPlan& plan) {
  plan.group_size = group_size_of(target, software_group);
  const bool few = plan.items() < 2 * plan.group_size;
  const bool share = plan.strided ? few || plan.steps() > longest_unshared : plan.steps() >= steps_to_share;
  plan.lanes = share ? plan.group_size : 1;
  plan.vectors = std::min(software_vectors, power_of_two(ceil_divide(plan.steps(), plan.lanes)));
}

/// Words of shared memory for each of four rows.
int64_t shared_words(const RowPlan& plan) {
  return plan.partials() == plan.lanes ? 2 * plan.group_size : plan.group_size + plan.partials() * plan.items_at_once();
}

/// Whether so few steps are all one lane's, which then waits for no other and shares no memory: as many loads in flight
/// as a lane of longer rows has, where items alone fill the device; of more steps fewer items do.
bool takes_one_lane(const Target& target, int64_t kept, const RowPlan& plan) {
  const int64_t unrolled = vectors_unrolled / std::max<int64_t>(kept, 1);
  const int64_t fewest =
      plan.steps() > vectors_reread ? target.resident_invocations / vectors_reread : target.resident_invocations;
  return plan.steps() <= std::max(unrolled, std::min(vectors_reread, steps_kept(most_vectors, kept))) &&
         plan.items() >= fewest;
}

/// Whether vec4 would not serve columns that are all accessed by a walk, as their rows begin anywhere in memory: the
/// four of an item are apart then, and neighbouring lanes access neighbours.
bool columns_begin_anywhere(const RowKernel& kernel) {
  const codegen::AxisSpan columns{0, kernel.kept_rank};
  const Expr& value = kernel.value;
  const auto plain = [&](const Strided& x) {
    return !is_narrow(x.storage) &&
           codegen::access_pattern_of(x.layout, columns) != codegen::AccessPattern::coordinates;
  };
  const auto odd = [&](const Strided& x) {
    const int64_t stride = codegen::span_stride(x.layout, columns);
    if (stride != 1) return stride != 0;
    bool whole = x.layout.offset % vector_width == 0;
    for (int axis = kernel.kept_rank; axis < x.layout.shape.rank(); ++axis)
      whole = whole && (x.layout.shape[axis] == 1 || x.layout.strides[static_cast<size_t>(axis)] % vector_width == 0);
    return !whole;
  };
  const auto walks = [&](const Layout& x) {
    return codegen::access_pattern_of(x, columns) != codegen::AccessPattern::coordinates;
  };
  return value.piecewise.empty() && plain(kernel.out) && std::ranges::all_of(value.operands, plain) &&
         std::ranges::all_of(value.iotas, walks) && (odd(kernel.out) || std::ranges::any_of(value.operands, odd));
}

/// Lanes and registers of columns of which so many vectors are side by side in a group.
void share_columns(const Target& target, int64_t kept, int64_t side, RowPlan& plan) {
  plan.group_size = group_size_of(target, target.large_pages ? column_group : column_group_small_pages);
  const auto share = [&] {
    plan.lanes = plan.group_size / std::min({side, power_of_two(plan.items()), plan.group_size});
    plan.lanes = std::min(plan.lanes, power_of_two(plan.steps()));
  };
  for (share(); shared_words(plan) * 4 * word > target.max_shared_bytes; share()) plan.group_size /= 2;
  plan.vectors = power_of_two(ceil_divide(plan.steps(), plan.lanes));
  plan.register_resident = plan.vectors <= steps_kept(most_vectors, kept);
  if (!plan.register_resident) plan.vectors = vectors_reread;
}

/// Of many columns each is few lanes', all of whose registers are in use: what lanes exchange, and compute each for
/// the column, is less of their work.
bool gave_few_lanes(const Target& target, int64_t kept, RowPlan& plan) {
  const int64_t lanes = power_of_two(ceil_divide(plan.steps(), steps_kept(most_vectors, kept)));
  if (lanes >= plan.lanes || plan.items() * lanes < target.resident_invocations) return false;
  plan.lanes = lanes;
  plan.vectors = ceil_divide(plan.steps(), lanes);
  plan.register_resident = true;
  plan.group_size = std::min(plan.group_size, small_group);
  return true;
}

void plan_strided(const Target& target, int64_t kept, RowPlan& plan) {
  int64_t side = target.large_pages ? column_vectors : column_vectors_small_pages;
  share_columns(target, kept, side, plan);
  if (takes_one_lane(target, kept, plan)) {
    plan.lanes = 1;
    plan.vectors = plan.steps();
    plan.register_resident = true;
    if (plan.unrolled()) plan.group_size = std::min(plan.group_size, group_unrolled);
    return;
  }
  if (gave_few_lanes(target, kept, plan) || !target.large_pages) return;
  // Of fewer side by side more lanes share a column, and columns make a group for each multiprocessor. That a column
  // then stays in registers is no gain on its own: gradients of 463 x 188,672 take 893 us so, and 670 read again.
  side = plan.items_at_once();
  while (side > least_column_vectors && ceil_divide(plan.items(), side) < multiprocessors_of(target))
    share_columns(target, kept, side /= 2, plan);
}

/// The four columns of an item are neighbours, or as far apart as a group has items side by side: of few, no columns,
/// or too many of the last block's places, would be theirs.
void place_columns(const RowKernel& kernel, RowPlan& plan) {
  constexpr int64_t fewest_side_by_side = 8, fewest_blocks = 8;
  const int64_t apart = std::min(lanes_of_a_subgroup, plan.items_at_once());
  const bool many = apart >= fewest_side_by_side && plan.rows >= fewest_blocks * vector_width * apart;
  if (many && columns_begin_anywhere(kernel)) plan.apart = apart;
}

/// Columns that begin anywhere are read element by element: a subgroup has a whole line of memory where it has one row.
/// (1748 x 30,001 standardised on an H200 233 us, so 207; 1100 x 100,001 463 and 417; but 1748 x 30,000 209 and
/// 255.) Of fewer the groups are too few, and shorter ones stay in registers, of which twice as many lanes have enough.
bool are_wider_side_by_side(const Target& target, const RowKernel& kernel, const RowPlan& plan) {
  return target.large_pages && !plan.register_resident && plan.items_at_once() == column_vectors &&
         plan.items() >= wide_column_vectors * multiprocessors_of(target) && columns_begin_anywhere(kernel);
}

void plan_columns(const Target& target, const RowKernel& kernel, int64_t kept, RowPlan& plan) {
  plan_strided(target, kept, plan);
  if (are_wider_side_by_side(target, kernel, plan)) share_columns(target, kept, wide_column_vectors, plan);
  place_columns(kernel, plan);
}

}  // namespace

int64_t RowPlan::partials() const {
  constexpr int64_t few = 8;
  if (lanes <= few) return lanes;
  return int64_t{1} << (std::countr_zero(static_cast<uint64_t>(lanes)) / 2);
}

RowPlan plan_row(const Target& target, const RowKernel& kernel, const RowChain& chain) {
  const Shape& domain = kernel.value.domain;
  const int64_t kept = chain.most_kept();
  RowPlan plan;
  plan.strided = kernel.strided;
  plan.kept_rank = kernel.kept_rank;
  plan.rows = codegen::count_of(domain, {0, kernel.kept_rank});
  plan.length = codegen::count_of(domain, {kernel.kept_rank, domain.rank() - kernel.kept_rank});
  const std::optional<RowPlan> staged = target.software ? std::nullopt : plan_staged(target, kernel, plan);
  if (staged) return *staged;
  if (target.software)
    plan_software(target, plan);
  else if (plan.strided)
    plan_columns(target, kernel, kept, plan);
  else
    plan_contiguous(target, kernel, kept, plan);
  plan_across(target, chain, plan);
  plan.joined = true;
  return plan;
}

int64_t enough_columns(const Target& target) {
  constexpr int64_t of_a_group = column_vectors * vector_width;
  return target.software ? 0 : multiprocessors_of(target) * of_a_group / 6;
}

int64_t longest_row(const Target& target) { return (target.max_block_bytes - target.binding_alignment) / word - 4; }

}  // namespace eglantine::lower
