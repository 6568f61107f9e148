#include "lower/contraction/schedule/matrices.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "graph/product_choice.hpp"
#include "layout/divide.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/contraction/schedule/speeds.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

// Elements of shared memory, of which a group has a whole number of units: as few as it takes, since how many groups a
// multiprocessor has, and so how much it reads at a time, is bounded by these, and few units, so that programs are few.
constexpr int64_t most_elements = most_small_elements, unit_of_elements = 512;
constexpr int group_invocations = 128, columns_each = 4, subgroup_lanes = 32;

/// What lies between the lowest and the highest element of a matrix, and from one matrix to the next.
struct Span {
  int64_t matrix, step;

  int64_t of(int64_t count) const { return (count - 1) * step + matrix; }
};

/// Over the innermost batch axis and those of an operand's matrices, m or n and k.
Span span_of(const Layout& x, int batch, int other, int k) {
  const auto reach = [&](int axis) { return (x.shape[axis] - 1) * std::abs(stride(x, axis)); };
  return {1 + reach(other) + reach(k), std::abs(stride(x, batch))};
}

/// A product whose groups have neighbours along the innermost batch axis.
struct SmallProduct {
  const Contraction& product;
  Span a, b;
  int rows;

  /// Four neighbouring narrow results are whole words.
  bool columns_together() const {
    return is_narrow(product.a.storage) && vectors_along(product.out.layout, product.n_axis());
  }
  /// Between neighbouring invocations' columns of b.
  int64_t column_step() const {
    return (columns_together() ? columns_each : 1) * stride(product.b.layout, product.n_axis());
  }
  int64_t across() const { return ceil_divide(product.n(), columns_each); }
  int64_t down() const { return ceil_divide(product.m(), rows); }
  int64_t tiles() const { return across() * down(); }
  int64_t elements(int64_t count) const { return a.of(count) + b.of(count); }
  int64_t matrices() const { return product.domain[product.batch_rank - 1]; }
  int64_t groups(int64_t count) const { return ceil_divide(matrices(), count) * (product.batches() / matrices()); }
};

/// How many matrices give each invocation a tile: a power of two, or three quarters of one, so that programs are few; 0
/// where none fits.
int64_t count_of(const SmallProduct& small) {
  const auto wanted = static_cast<uint64_t>(ceil_divide(group_invocations, small.tiles()));
  auto count = static_cast<int64_t>(std::bit_ceil(wanted));
  while (small.elements(count) > most_elements || count >= 2 * small.matrices()) {
    count = std::has_single_bit(static_cast<uint64_t>(count)) ? count * 3 / 4 : count * 2 / 3;
    if (count == 0) break;
  }
  return count;
}

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
  const int64_t count = count_of(small);
  if (count == 0) return std::numeric_limits<double>::infinity();
  const int64_t rows = small.rows, lines = std::min(small.down(), ceil_divide(subgroup_lanes, small.across()));
  const int64_t reads = rows * conflicts(stride(product.a.layout, product.m_axis()), lines) +
                        columns_each * conflicts(small.column_step(), small.across());
  const double step = static_cast<double>(reads) + static_cast<double>(rows * columns_each) / multiplied_a_cycle;
  const int64_t subgroups = ceil_divide(count * small.tiles(), subgroup_lanes);
  const double group = static_cast<double>(subgroups * product.k()) * step + of_start +
                       of_copied_line * static_cast<double>(ceil_divide(small.elements(count), subgroup_lanes));
  return static_cast<double>(ceil_divide(small.groups(count), multiprocessors_of(target))) * group;
}

/// The same of tiles. Their times are reckoned in multiplications of long sums; of short ones they are half.
double cycles_of_tiles(const Target& target, const Contraction& product, const MatmulShader& shader) {
  constexpr double multiplied_a_cycle = 200;
  const std::vector<MatmulTile>& known = known_tiles(false);
  const MatmulTile tile = MatmulTile::of(shader);
  const auto number = std::find(known.begin(), known.end(), tile);
  if (number == known.end()) return 0;
  return in_chunks(target, product, shader, tile, static_cast<size_t>(number - known.begin())).time /
         multiplied_a_cycle;
}

/// Whether groups can count its batches and have its matrices in shared memory, if these are small.
bool may_share_groups(const Target& target, const Contraction& product) {
  return product.batch_rank > 0 && product.batches() / product.domain[product.batch_rank - 1] <= target.max_groups &&
         target.max_shared_bytes >= most_elements * bytes_of(StorageType::f32) &&
         target.max_invocations >= group_invocations;
}

/// With eight rows an invocation or four, whichever takes less time.
SmallProduct divided(const Target& target, const Contraction& product) {
  const int batch = product.batch_rank - 1;
  SmallProduct small{product, span_of(product.a.layout, batch, product.m_axis(), product.k_axis()),
                     span_of(product.b.layout, batch, product.n_axis(), product.k_axis()), 8};
  SmallProduct fewer = small;
  fewer.rows = 4;
  return cycles_of(target, fewer) <= cycles_of(target, small) ? fewer : small;
}

}  // namespace

std::optional<MatmulShader> matrices_together(const Target& target, const Contraction& product,
                                              const MatmulShader& shader) {
  if (!may_share_groups(target, product)) return std::nullopt;
  const SmallProduct small = divided(target, product);
  if (cycles_of(target, small) >= cycles_of_tiles(target, product, shader)) return std::nullopt;
  const int64_t count = count_of(small), elements = small.elements(count);
  MatmulShader together = shader;
  MatmulTile{MatmulForm::matrices, small.rows, columns_each, group_invocations, 1, 1, 1}.apply_to(together);
  together.a = together.b = MatmulRead::single;
  together.saves_registers = false;
  together.columns_together = small.columns_together();
  together.b_mn_major = together.b_mn_major || together.columns_together;
  together.matrices = static_cast<int>(count);
  together.shared_elements = static_cast<int>(ceil_divide(elements, unit_of_elements) * unit_of_elements);
  return together;
}

}  // namespace eglantine::lower
