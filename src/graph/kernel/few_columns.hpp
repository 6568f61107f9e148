#pragma once

#include <optional>

#include "graph/kernel/kernel.hpp"

/// What both backends ask of a product with few columns.
namespace eglantine {

struct FewColumnsSizes {
  int64_t batches, rows, length, columns;  ///< length: of the sums
};
FewColumnsSizes sizes_of(const FewColumnsKernel& kernel);

/// All columns, over axes of their own: those of batches and columns, then those that are summed over, each merged.
Strided columns_of(const FewColumnsKernel& kernel);

/// Whether, of the operand that reaches furthest, neighbouring rows lie closer together than what a row sums over.
bool lies_along_rows(const FewColumnsKernel& kernel);

/// The same as the product of two matrices in memory; nothing where the matrix is computed, or its axes or the columns'
/// are no single ones.
std::optional<MatmulKernel> as_matmul(const FewColumnsKernel& kernel);

}  // namespace eglantine
