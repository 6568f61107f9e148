#include "lower/contraction/schedule/fitted.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "layout/divide.hpp"
#include "lower/contraction/schedule/fitted_division.hpp"
#include "lower/contraction/schedule/matrices.hpp"
#include "lower/contraction/schedule/reads.hpp"
#include "lower/program_dispatch.hpp"

namespace eglantine::lower {
namespace {

constexpr int subgroup = 32;

/// Cycles of a multiprocessor for a subgroup: fitted to 74 shapes of batches on an H200, whose times they meet within a
/// fifth.
double cycles_of_subgroup(const Contraction& product, const MatmulShader& fitted) {
  constexpr double of_line = 0.53, of_vector = 8.4, of_single = 3.8, of_step = 27, of_start = 130, of_unit = 10,
                   of_ordered_result = 5.2;
  const Loads loads = loads_of(fitted);
  const auto k = static_cast<double>(product.k()), steps = static_cast<double>(ceil_divide(product.k(), fitted.depth));
  const double of_loads =
      of_vector * static_cast<double>(loads.vectors) + of_single * static_cast<double>(loads.singles);
  const int ordered = fitted.results_in_order ? fitted.rows * fitted.columns : 0;
  return of_line * k * (fitted.rows + fitted.columns) + steps * (of_loads + of_step) + of_start +
         of_unit * static_cast<double>(loads.units) + of_ordered_result * ordered;
}

/// Subgroups that a multiprocessor has at a time: as shared memory, registers and its number of groups allow.
double resident_subgroups(const Target& target, const MatmulShader& fitted) {
  constexpr int64_t registers = 65536, most_groups = 32, of_addresses = 56;
  const int64_t invocations = fitted.group_size(), of_results = int64_t{fitted.rows} * fitted.columns;
  const int64_t groups = std::min({most_groups, target.max_shared_bytes / 4 / fitted.shared_elements,
                                   registers / (invocations * (of_results + of_addresses)),
                                   invocations_of_a_multiprocessor / invocations});
  const int64_t subgroups = std::max<int64_t>(groups, 1) * invocations / subgroup;
  return static_cast<double>(subgroups);
}

/// Cycles of a multiprocessor for narrow results that are stored as words first, then narrowed.
double cycles_of_narrowing(const Contraction& product) {
  constexpr double of_result = 0.0043;
  return is_narrow(product.a.storage) ? of_result * static_cast<double>(product.batches() * product.m() * product.n())
                                      : 0;
}

/// Waits that few subgroups do not cover count as those of so many more.
double cycles_of(const Target& target, const Contraction& product, const MatmulShader& fitted) {
  constexpr double subgroups_in_time_of_waits = 8;
  const int64_t along = product.domain[product.batch_rank - 1];
  const int64_t groups = ceil_divide(along, int64_t{fitted.matrices}) * (product.batches() / along) *
                         ceil_divide(product.m(), int64_t{fitted.tile_rows()}) *
                         ceil_divide(product.n(), int64_t{fitted.tile_columns()});
  const int64_t subgroups = ceil_divide(groups, multiprocessors_of(target)) * (fitted.group_size() / subgroup);
  const auto share = static_cast<double>(subgroups);
  const double resident = std::min(share, resident_subgroups(target, fitted));
  return share * cycles_of_subgroup(product, fitted) * (1 + subgroups_in_time_of_waits / resident) +
         (fitted.results_in_order && !fitted.ordered_vectors ? cycles_of_narrowing(product) : 0);
}

/// Whether neither lines nor k of an operand are neighbours in memory: a copy in order is quicker then.
bool lies_apart(const Layout& x, int line, int k) {
  return std::abs(stride(x, line)) > 1 && std::abs(stride(x, k)) > 1;
}

bool may_fit(const Target& target, const Contraction& product) {
  constexpr int64_t most_lines = 320, shortest_k = 8;
  return !target.software && product.batch_rank > 0 && product.batches() > multiprocessors_of(target) &&
         product.m() <= most_lines && product.n() <= most_lines && product.k() >= shortest_k &&
         !lies_apart(product.a.layout, product.m_axis(), product.k_axis()) &&
         !lies_apart(product.b.layout, product.n_axis(), product.k_axis()) &&
         product.batches() / product.domain[product.batch_rank - 1] <= target.max_groups;
}

}  // namespace

std::optional<FittedProduct> quickest_fitted(const Target& target, const Contraction& product,
                                             const MatmulShader& shader) {
  constexpr std::array rows_each{8, 4}, depths{8, 16};
  constexpr std::array numbers{2, 3, 4, 6, 8, 12};
  constexpr int64_t most_parts = 8;
  std::optional<FittedProduct> best;
  if (!may_fit(target, product)) return best;
  const auto try_division = [&](const Division& by) {
    const MatmulShader fitted = divided(product, shader, by);
    if (!suits(target, product, fitted, by)) return;
    const double cycles = cycles_of(target, product, fitted);
    if (!best || cycles < best->cycles) best = {fitted, cycles};
  };
  const auto parts_of = [&](int64_t length, int64_t each) {
    return static_cast<int>(std::min(most_parts, ceil_divide(length, each)));
  };
  // Results in their order are of whole rows.
  const bool vectors = vectors_along(product.out.layout, product.n_axis());
  const int most_across = vectors ? parts_of(product.n(), vector_width) : 1;
  for (const int rows : rows_each)
    for (const int depth : depths) {
      for (const int matrices : numbers) try_division({rows, depth, matrices, 1, 1});
      for (int down = 1; down <= parts_of(product.m(), rows); ++down)
        for (int across = 1; across <= most_across; ++across) try_division({rows, depth, 1, down, across});
    }
  return best;
}

std::optional<MatmulShader> fitted_to_matrices(const Target& target, const Contraction& product,
                                               const MatmulShader& shader) {
  // What matrices and tiles are reckoned at leaves out most of their waits, and what narrow operands take to widen.
  constexpr double of_matrices = 1.25, of_tiles = 1.7, of_narrow_tiles = 2.3;
  const std::optional<FittedProduct> fitted = quickest_fitted(target, product, shader);
  if (!fitted) return std::nullopt;
  const double matrices = cycles_in_matrices(target, product), tiles = cycles_in_tiles(target, product, shader);
  const double twice = vectors_along(product.out.layout, product.n_axis()) ? 0 : cycles_of_narrowing(product);
  const double others = matrices < tiles ? of_matrices * matrices
                                         : (is_narrow(product.a.storage) ? of_narrow_tiles : of_tiles) * tiles + twice;
  return others > fitted->cycles ? std::optional(fitted->shader) : std::nullopt;
}

}  // namespace eglantine::lower
