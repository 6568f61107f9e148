#include "lower/contraction/schedule/matrices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "graph/product_choice.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/small_product.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

/// How many of neighbouring lines' elements one bank of shared memory has.
int64_t conflicts(int64_t step, int64_t lines) {
  constexpr int64_t banks = 32;
  return step == 0 ? 1 : ceil_divide(lines * std::gcd(step, banks), banks);
}

/// Cycles of a multiprocessor for all of its groups: reads of shared memory, one a cycle, and multiplications, four;
/// the copy; and what of a group's start and its waits other groups do not cover. Infinite where no matrix fits.
double cycles_of(const Target& target, const SmallProduct& small) {
  constexpr double of_copied_line = 3, of_start = 200, multiplied_a_cycle = 4;
  const Contraction& product = small.product;
  const int64_t count = small.count();
  if (count == 0) return std::numeric_limits<double>::infinity();
  const int64_t rows = small.rows, lines = std::min(small.down(), ceil_divide(SmallProduct::lanes, small.across()));
  const int64_t reads = rows * conflicts(stride(product.a.layout, product.m_axis()), lines) +
                        SmallProduct::columns_each * conflicts(small.column_step(), small.across());
  const double step =
      static_cast<double>(reads) + static_cast<double>(rows * SmallProduct::columns_each) / multiplied_a_cycle;
  const int64_t subgroups = ceil_divide(count * small.tiles(), SmallProduct::lanes);
  const double group = static_cast<double>(subgroups * product.k()) * step + of_start +
                       of_copied_line * static_cast<double>(ceil_divide(small.elements(count), SmallProduct::lanes));
  return static_cast<double>(ceil_divide(small.groups(count), multiprocessors_of(target))) * group;
}

/// Whether groups can count its batches and have its matrices in shared memory, if these are small.
bool may_share_groups(const Target& target, const Contraction& product) {
  return product.batch_rank > 0 && product.k() > 0 &&
         product.batches() / product.domain[product.batch_rank - 1] <= target.max_groups &&
         target.max_shared_bytes >= most_small_elements * bytes_of(StorageType::f32) &&
         target.max_invocations >= SmallProduct::group;
}

/// Invocations of a group that have a tile; 0 where no matrix fits.
int64_t working_invocations(const SmallProduct& small) {
  return std::min<int64_t>(SmallProduct::group, small.count() * small.tiles());
}

/// With as many rows an invocation, of eight, four and two, as leave the fewest of a group without: few groups have
/// room at a time, so that each one's waits count (11,705 of 14 x 58 x 38 of f16 on an H200: 133, 125 and 115 us;
/// 200,000 of 7 x 11 x 23 of f32 180, 153 and 190). Not fewer if each then takes more than one tile, or stores results
/// one by one.
SmallProduct divided(const Contraction& product) {
  int best = 8;
  const SmallProduct most(product, best);
  int64_t busy = working_invocations(most);
  for (const int rows : {4, 2}) {
    const SmallProduct fewer(product, rows);
    const int64_t count = fewer.count();
    const bool as_quick = count * fewer.tiles() <= fewer.group && fewer.in_order == most.in_order &&
                          fewer.stores_vectors(count) >= most.stores_vectors(most.count());
    if (as_quick && working_invocations(fewer) > busy) busy = working_invocations(fewer), best = rows;
  }
  return SmallProduct(product, best);
}

/// Whether a trip of the loop takes four steps, whose loads do not wait for each other. Of short narrow products
/// NVIDIA's code is slower so (us on an H200, with one step and four: 50,000 of 5 x 100 x 35 of f32 637 and 471,
/// 280,801 of 21 x 62 x 4 of bf16 1,324 and 990, but 40,000 of 12 x 40 x 33 of bf16 200 and 244).
bool takes_four_steps(const Contraction& product) {
  constexpr int64_t fewest = 4, fewest_narrow = 48;
  return product.k() >= (is_narrow(product.a.storage) || is_narrow(product.b.storage) ? fewest_narrow : fewest);
}

/// Of the division that takes fewest, by which the form is compared with others; divided() chooses by waits, which
/// these leave out.
double least_cycles(const Target& target, const Contraction& product) {
  double least = std::numeric_limits<double>::infinity();
  for (const int rows : {8, 4, 2}) least = std::min(least, cycles_of(target, SmallProduct(product, rows)));
  return least;
}

/// As much shared memory as it takes, in units, so that programs are few: how many groups a multiprocessor has, and so
/// how much it reads at a time, is bounded by that.
int in_units(int64_t elements) {
  constexpr int64_t unit = 512;
  return static_cast<int>(round_up(elements, unit));
}

/// Of a group's operand.
int vectors_each(const Span& operand, int64_t count) {
  return static_cast<int>(ceil_divide(in_vectors(operand.of(count)) / vector_width, SmallProduct::group));
}

/// Whether groups load their next matrices while they multiply: of words, whose vectors an invocation has registers
/// for, of one batch axis, along which groups take several turns. On an H200 200,000 of 7 x 11 x 23 take 145 us, so
/// 123, 261,234 of 41 x 5 x 7 217 and 164, 11,705 of 14 x 58 x 38 105 and 103, but of f16 102 and 108.
bool loads_ahead(const Target& target, const SmallProduct& small, const MatmulShader& together) {
  constexpr int most_vectors = 12;
  const int64_t count = small.count(), groups = small.groups(count), invocations = groups * SmallProduct::group,
                trips = ceil_divide(groups, multiprocessors_of(target)) *
                        (small.product.k() + small.results(count) / SmallProduct::group + 8);
  return !is_narrow(small.product.a.storage) && small.matrices() == small.product.batches() &&
         together.vectors_of_a + together.vectors_of_b <= most_vectors && invocations >= target.resident_invocations &&
         (target.max_loop_trips == 0 || trips <= target.max_loop_trips);
}

}  // namespace

std::optional<MatmulShader> matrices_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader) {
  if (!may_share_groups(target, product)) return std::nullopt;
  if (least_cycles(target, product) >= cycles_in_tiles(target, product, shader)) return std::nullopt;
  const SmallProduct small = divided(product);
  const int64_t count = small.count();
  MatmulShader together = shader;
  MatmulTile{MatmulForm::matrices, small.rows, small.columns_each, small.group, 1, 1, 1}.apply_to(together);
  together.a = together.b = MatmulRead::single;
  together.saves_registers = false;
  together.columns_together = small.columns_together();
  together.b_mn_major = together.b_mn_major || together.columns_together;
  together.results_in_order = small.in_order;
  together.over_operands = small.over_operands(count);
  together.ordered_vectors = small.in_order && small.stores_vectors(count);
  together.vectors_of_a = vectors_each(small.a, count);
  together.vectors_of_b = vectors_each(small.b, count);
  together.four_steps = takes_four_steps(product);
  together.loads_ahead = loads_ahead(target, small, together);
  together.matrices = static_cast<int>(count);
  together.shared_elements = in_units(small.elements(count));
  return together;
}

double cycles_in_matrices(const Target& target, const Contraction& product) { return least_cycles(target, product); }

double cycles_in_tiles(const Target& target, const Contraction& product, const MatmulShader& shader) {
  // Times of tiles are reckoned in multiplications of long sums; of short ones they are half.
  constexpr double multiplied_a_cycle = 200;
  const std::vector<MatmulTile>& known = known_tiles(false);
  const MatmulTile tile = MatmulTile::of(shader);
  const auto number = std::find(known.begin(), known.end(), tile);
  if (number == known.end()) return 0;
  return in_chunks(target, product, shader, tile, static_cast<size_t>(number - known.begin()), Calls::overlap).time /
         multiplied_a_cycle;
}

}  // namespace eglantine::lower
