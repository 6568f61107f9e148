#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"
#include "lower/target.hpp"

namespace eglantine::lower {

/// A product with one column as the sum over k of matrix(r, k) * column(k), where the matrix is computed from far fewer
/// elements, as a kernel function of all pairs of points is, and a reduction takes four of its rows at once
/// (rows_in_fours.hpp): each loads a quarter. Else nothing.
std::optional<ReduceKernel> as_reduction(const Target& target, const FewColumnsKernel& kernel);

}  // namespace eglantine::lower
