#pragma once

#include <cstdint>
#include <vector>

#include "graph/kernel/kernel.hpp"

/// Neighbouring results of a reduction that read or compute much in common, of one expression at once.
namespace eglantine {

/// One expression for several results, over a prologue's domain without the axes that number them.
struct ResultsTogether {
  Expr prologue;
  std::vector<int32_t> results;  ///< in row-major order: the instruction that is each one's value
};

/// The results that the kept axes [first_axis, kept_rank) number. What several of them load or compute is there once.
ResultsTogether results_together(const Expr& prologue, int first_axis, int kept_rank);

/// Whether a reduction's results may be computed so: of floats, of what reads memory or places, has no effect and no
/// text of its own.
bool can_be_together(const Expr& prologue, Reduction reduction);

/// As many columns are a vector of a column tree.
inline constexpr int64_t most_results_at_once = 4;

/// The results along a sum's last kept axis, if they are few and best computed at once since they make the same
/// numbers: the components of a force, each a distance times the weight of the pair. Else 1.
int64_t results_at_once(const Expr& prologue, int kept_rank, Reduction reduction);

}  // namespace eglantine
