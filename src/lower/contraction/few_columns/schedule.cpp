#include "lower/contraction/few_columns/schedule.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "codegen/addresses/runs.hpp"
#include "layout/divide.hpp"
#include "layout/layout.hpp"
#include "layout/reduce_tree.hpp"
#include "lower/contraction/few_columns/wide_blocks.hpp"
#include "lower/contraction/schedule/tuning.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {

int64_t cached_quads(const Target& target, const FewColumnsProduct& product) {
  constexpr int64_t cached_bytes = int64_t{1} << 16, fewest_columns = 9, fewest_elements = int64_t{1} << 24;
  const FewColumnsSizes& sizes = product.sizes;
  const int64_t most = cached_bytes / (sizes.columns * vector_width * bytes_of(word_storage(product.dtype())));
  if (target.software || product.along_rows || product.across || sizes.columns < fewest_columns ||
      most >= product.quads() || sizes.batches * sizes.rows * sizes.length < fewest_elements)
    return product.quads();
  return ceil_divide(product.quads(), ceil_divide(product.quads(), most));
}

namespace {

constexpr int64_t large_group = 512, hardware_group = 256, small_group = 128, subgroup = 32;
// Results of an invocation: more take too many registers, fewer load each element of the columns more often.
constexpr int64_t most_results_each = 64, most_rows_each = 8, most_unrolled = 4;
// Along rows: vectors that are read side by side, at least, and where lanes do not add up by shuffles; at most, where
// each has many sums; lanes of each.
constexpr int64_t fewest_places = 4, fewest_places_in_memory = 8, most_places_of_many = 8, most_lanes_of_a_place = 256;
// Shared memory in which a large group adds up.
constexpr int64_t room_of_large_groups = 32768;
// Quads of a lane in the shortest chunk of k: another dispatch adds the chunks' results. Fewer where each takes as long
// as several of one column.
constexpr int64_t shortest_chunk = 8, shortest_chunk_of_many = 2, most_chunks = layout::column_block;
// Quads of a lane before it adds up with others, which takes as long as some of them.
constexpr int64_t quads_each = 16;
// A software device runs one SIMD vector of eight invocations through all its trips before the next.
constexpr int64_t software_group = 8;

int64_t power_of_two_above(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }
int64_t power_of_two_below(int64_t n) { return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); }

/// Invocations that keep the memory busy, where each has several loads in flight.
int64_t busy(const Target& target) { return target.resident_invocations / 2; }

void plan_software(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  plan.group_size = group_size_of(target, software_group);
  if (plan.along_rows) return;
  const int64_t shares = ceil_divide(product.sizes.rows, plan.group_size);
  plan.rows_each = std::clamp<int64_t>(power_of_two_below(shares), 1, most_rows_each);
}

/// Rows apart: places side by side, down to 8 while two groups a multiprocessor, which fill it, are not reached. A last
/// round of these that leaves more than a quarter of all idle is avoided: by more places, or nothing.
std::optional<int64_t> places_apart(const Target& target, const FewColumnsProduct& product) {
  const int64_t round = 2 * multiprocessors_of(target), vectors = ceil_divide(product.sizes.rows, vector_width);
  const auto groups = [&](int64_t places) { return ceil_divide(vectors, places) * product.sizes.batches; };
  int64_t places = subgroup;
  while (places > most_places_of_many && groups(places) < round) places /= 2;
  const auto is_wasteful = [&] {
    const int64_t there = groups(places);
    return there > round && 4 * there < 3 * ceil_divide(there, round) * round;
  };
  if (is_wasteful() && places < subgroup) places *= 2;
  return is_wasteful() ? std::nullopt : std::optional(places);
}

/// Whether rows along memory are so few and so long that another dispatch, which adds up chunks of k, takes less time
/// than it saves: chunks fill the device then, and rows lie side by side in whole lines. Without, groups of few places
/// leave multiprocessors idle, up to half of them, and what these would have read is what counts (us on an H200: 464
/// rows of 53,879 69 and 38, 277 of 36,101 38 and 20; but 464 of 6465 11 and 16).
bool is_long(const Target& target, const FewColumnsProduct& product) {
  constexpr int64_t long_from = int64_t{1} << 22, long_of_many = int64_t{1} << 25;  // elements
  const int64_t elements = product.sizes.batches * product.sizes.rows * product.sizes.length;
  const int64_t vectors = ceil_divide(product.sizes.rows, vector_width) * product.sizes.batches;
  const int64_t all = multiprocessors_of(target), idle = all - std::max((all + 1) / 2, vectors / fewest_places);
  if (has_many_sums(product)) return idle > 0 && elements >= long_of_many;
  return idle > 0 && elements / all * idle >= long_from;
}

/// Places that leave an eighth of them or less without a row.
int64_t filled_places(int64_t vectors, int64_t places) {
  while (places > fewest_places && 8 * vectors < 7 * round_up(vectors, places)) places /= 2;
  return places;
}

/// Where rows alone keep the device busy, lanes that each have some quads before they add up; where they fill it, one,
/// which adds up nothing. Else all.
int64_t lanes_of_short(const Target& target, const FewColumnsProduct& product) {
  const int64_t vectors = ceil_divide(product.sizes.rows, vector_width) * product.sizes.batches;
  if (vectors < busy(target)) return hardware_group;
  if (vectors >= target.resident_invocations) return 1;
  return power_of_two_below(std::max<int64_t>(1, product.quads() / quads_each));
}

/// Places are rows of the group side by side, as many as leave each multiprocessor a group; what is left of its
/// invocations are lanes. A second dispatch, which adds up chunks of k, costs more time than large groups do.
void plan_along_rows(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  const bool many = has_many_sums(product);
  const bool shuffles = target.subgroup == subgroup;
  const int64_t vectors = ceil_divide(product.sizes.rows, vector_width),
                fewest = shuffles ? fewest_places : fewest_places_in_memory;
  const std::optional<int64_t> apart = many && splits_vectors(product) ? places_apart(target, product) : std::nullopt;
  plan.apart = apart.has_value() || product.rows_apart;
  int64_t places = apart.value_or(many ? most_places_of_many : subgroup);
  const bool chunks = is_long(target, product);
  if (!apart && chunks) places = filled_places(vectors, places);
  while (!apart && !chunks && places > fewest && vectors * product.sizes.batches / places < multiprocessors_of(target))
    places /= 2;
  const bool large = !many && shuffles && target.max_shared_bytes >= room_of_large_groups;
  const int64_t group = group_size_of(target, large ? large_group : hardware_group);
  // Windows of a few channels are short rows, and many: lanes would have a quad or two each (27 of 3 x 3 places in 12).
  const bool fills = vectors * product.sizes.batches >= target.resident_invocations;
  const bool shares_little = fills && product.quads() < quads_each * (group / places);
  // Of fewer rows than a group has places they add up nothing with what is left of its invocations.
  const int64_t lanes = (many || shares_little) && !apart ? lanes_of_short(target, product) : most_lanes_of_a_place;
  places = std::min({std::max(places, group / lanes), group, power_of_two_above(vectors)});
  plan.lanes = std::min({group / places, lanes, power_of_two_above(product.quads())});
  plan.group_size = places * plan.lanes;
  plan.team = std::min(plan.lanes, subgroup);
}

/// Lanes until there are as many invocations, then fewer rows of each. chunks: of so many quads, with invocations of
/// their own.
void fill(const FewColumnsProduct& product, int64_t wanted, int64_t fewest_rows, FewColumnsPlan& plan, int64_t quads,
          int64_t chunks = 1) {
  const int64_t most_lanes = std::min(plan.group_size, power_of_two_above(ceil_divide(quads / plan.run, 2)));
  const auto invocations = [&] {
    return ceil_divide(product.sizes.rows, plan.rows_each) * product.sizes.batches * chunks * plan.lanes;
  };
  plan.lanes = std::clamp<int64_t>(power_of_two_above(quads / plan.run), vector_width, subgroup);
  while (plan.lanes < most_lanes && invocations() < wanted) plan.lanes *= 2;
  while (plan.rows_each > fewest_rows && invocations() < wanted) plan.rows_each /= 2;
}

/// One column: few rows, of which a lane has many loads in flight.
void plan_vector(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  // Of single bytes, a load of 16 has one scale, or address.
  const int64_t run = codegen::run_length(matrix_spec(product), product.matrix);
  const bool wide = run > 2;
  plan.run = wide ? run : 1;
  plan.group_size = group_size_of(target, wide ? small_group : hardware_group);
  plan.rows_each = wide ? 4 : 2;
  fill(product, busy(target) / 16, 1, plan, product.quads());
  const int64_t runs = power_of_two_below(std::max<int64_t>(1, product.quads() / plan.run));
  plan.lanes = std::max(plan.lanes, std::min(plan.group_size, runs / (wide ? 2 : 2 * most_unrolled)));
  plan.unroll = wide ? 1 : std::clamp<int64_t>(runs / plan.lanes, 1, most_unrolled);
}

/// Of some numbers of columns NVIDIA's code is several times slower in groups of one size (of 5 to 16 columns in groups
/// of 128, 256 and 512, us on an H200, in chunks of k, 12,000 x 8000: 11 263, 269, 140; 14 276, 504, 379; 15 554, 164,
/// 172; of the others the first is within 7 % of the best).
int64_t group_of_columns(const Target& target, int64_t columns, int64_t usual) {
  if (columns == 11 && target.max_shared_bytes >= room_of_large_groups) return large_group;
  if (columns == 14) return small_group;
  return columns == 15 ? hardware_group : usual;
}

/// More columns: more rows an invocation, since they share the loads of the columns.
void plan_columns(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  const int64_t columns = product.sizes.columns, run = codegen::run_length(matrix_spec(product), product.matrix);
  const int64_t quads = cached_quads(target, product), chunks = ceil_divide(product.quads(), quads);
  const bool many = columns > 4 && !product.across;
  plan.run = many && quads / run >= small_group ? run : 1;
  plan.rows_each = std::min(many ? most_rows_each : 4, power_of_two_below(most_results_each / columns));
  const int64_t places = ceil_divide(product.sizes.rows, plan.rows_each) * product.sizes.batches * chunks;
  const bool small = product.across || (many && places * small_group >= busy(target));
  plan.group_size = group_size_of(target, group_of_columns(target, columns, small ? small_group : hardware_group));
  // Columns of one load take more registers, and fewer invocations keep the device busy.
  fill(product, product.across ? busy(target) / 4 * 3 : busy(target), std::min<int64_t>(plan.rows_each, 4), plan, quads,
       chunks);
  plan.unroll = columns > 4 ? 1 : 2;
}

void plan_along_k(const Target& target, const FewColumnsProduct& product, FewColumnsPlan& plan) {
  if (product.sizes.columns == 1)
    plan_vector(target, product, plan);
  else
    plan_columns(target, product, plan);
  plan.team = std::min(plan.lanes, subgroup);
}

/// The shortest chunks that fill the device; one, where groups are many.
int64_t chunk_quads(const Target& target, const FewColumnsProduct& product, const FewColumnsPlan& plan) {
  int64_t quads = product.quads();
  if (product.in_wide_blocks()) {
    quads = wide_chunk_quads(target, product);
  } else if (!target.software) {
    const int64_t there = ceil_divide(product.sizes.rows, plan.block_rows()) * product.sizes.batches * plan.group_size;
    const int64_t shortest = has_many_sums(product) ? shortest_chunk_of_many : shortest_chunk;
    const int64_t most = std::clamp<int64_t>(quads / (shortest * plan.lanes), 1, most_chunks);
    // Along rows half of the multiprocessors with a large group each suffice: adding chunks up costs more.
    const bool large = plan.along_rows && !is_long(target, product);
    const int64_t wanted = large ? multiprocessors_of(target) * large_group / 2 : busy(target);
    quads = std::min(ceil_divide(quads, std::clamp<int64_t>(wanted / there, 1, most)), cached_quads(target, product));
    quads = round_up(quads, plan.lanes * plan.run);
  }
  // A trip of the loop takes `unroll` runs, the rest one each.
  if (target.max_loop_trips > 0)
    quads = std::min(quads, (target.max_loop_trips / 2) * plan.lanes * plan.unroll * plan.run);
  return quads;
}

/// Along rows each subgroup keeps its sums of all columns in shared memory.
bool has_room_for_sums(const Target& target, const FewColumnsPlan& plan, const FewColumnsProduct& product) {
  constexpr int64_t word = 4;
  const int64_t teams = std::min(plan.lanes, plan.group_size / subgroup);
  return word * teams * plan.block_rows() * product.sizes.columns <=
         std::min(room_of_large_groups, target.max_shared_bytes);
}

}  // namespace

namespace {

/// Whether rows of some operand overlap, as those of windows do.
bool shows_again(const Expr& matrix) {
  return std::ranges::any_of(matrix.operands, [&](const Strided& operand) {
    bool broadcast = false;
    for (int axis = 0; axis < matrix.domain.rank(); ++axis)
      broadcast = broadcast || (matrix.domain[axis] > 1 && operand.layout.strides[static_cast<size_t>(axis)] == 0);
    return !broadcast && layout::reach(operand.layout).count() < matrix.domain.elements();
  });
}

}  // namespace

FewColumnsProduct product_of(const FewColumnsKernel& kernel) {
  const FewColumnsSizes sizes = sizes_of(kernel);
  // Vectors of rows may not hold those of two batches.
  const bool beside = lies_along_rows(kernel);
  const bool along_rows = beside && (sizes.batches == 1 || sizes.rows % vector_width == 0);
  FewColumnsProduct product{kernel.prologue, kernel.kept_rank,     columns_of(kernel),
                            sizes,           kernel.columns_first, along_rows};
  product.rows_beside = beside && !shows_again(kernel.prologue);
  return product;
}

codegen::AddressSpec matrix_spec(const FewColumnsProduct& product) {
  const int kept = product.kept_rank;
  codegen::AddressSpec spec{"eg_matrix",
                            product.matrix.domain,
                            {{0, kept}, {kept, product.matrix.domain.rank() - kept}},
                            4,
                            product.along_rows ? 0 : 1};
  spec.whole = (product.along_rows ? product.sizes.rows : product.sizes.length) % vector_width == 0;
  return spec;
}

int64_t FewColumnsPlan::lanes_together() const {
  if (!along_rows) return team;
  return subgroups ? std::max<int64_t>(1, subgroup / places()) : lanes;
}

FewColumnsPlan plan_few_columns(const Target& target, const FewColumnsProduct& product) {
  FewColumnsPlan plan;
  plan.along_rows = product.along_rows;
  if (target.software)
    plan_software(target, product, plan);
  else if (product.in_wide_blocks())
    plan_wide_blocks(target, product, plan);
  else if (plan.along_rows)
    plan_along_rows(target, product, plan);
  else
    plan_along_k(target, product, plan);
  // Tuning measures whole vectors.
  if (!target.software && target.tuning != nullptr && !plan.apart && !product.in_wide_blocks())
    if (const FewColumnsChoice* choice = target.tuning->choice_of(class_of(product)))
      choice->apply_to(plan, target, product);
  plan.subgroups = target.subgroup == subgroup && plan.group_size >= subgroup && plan.lanes > 1 &&
                   (!plan.along_rows || has_room_for_sums(target, plan, product));
  plan.chunk_quads = chunk_quads(target, product, plan);
  return plan;
}

}  // namespace eglantine::lower
