#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"

namespace eglantine::lower {

/// A matrix as weights(row, k) * factor(row, run of k).
struct FactoredMatrix {
  Expr weights, factor;
};

/// The factor that is the same for all elements of a run (codegen/addresses/runs.hpp) of every row: it multiplies the
/// run's sum of products instead of each of them, one rounding instead of many. Nothing where the matrix is no such
/// product, or where the weights are more than sums and differences of bytes: those are too small for the sum to pass
/// what the sum of scaled products would not.
std::optional<FactoredMatrix> factored(const Expr& matrix, int64_t run);

}  // namespace eglantine::lower
