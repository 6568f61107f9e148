#pragma once

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// The product with copies of operands in an order that tiles read faster, where making them takes less time than they
/// save: rows or columns as vec4s, each k in memory that begins at a multiple of four.
MatmulKernel with_copied_operands(Lowering& lowering, const MatmulKernel& kernel);

}  // namespace eglantine::lower
