#pragma once

#include "graph/kernel.hpp"

/// Matrices with few columns that lie backwards in memory: numbered from the end, they are read as whole vectors.
namespace eglantine::lower {

/// Whether neighbours along an axis of the matrix's domain follow one another from the end of memory, and in no
/// operand from its beginning.
bool lies_backwards(const Expr& matrix, int axis);

/// The same product, an axis of the matrix's domain numbered from its end: of k the same sums, of rows the same
/// results, the last one first. For a matrix that ExpressionCopier copies.
FewColumnsKernel mirrored(const FewColumnsKernel& kernel, int axis);

}  // namespace eglantine::lower
