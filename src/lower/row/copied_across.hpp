#pragma once

#include <optional>

#include "lower/lowering.hpp"

/// Row kernels of operands that lie in several orders.
namespace eglantine::lower {

/// The kernel with copies of the operands in which a row's lanes, or neighbouring columns, are far apart: tiles
/// transpose them in less time than lanes read them so, a sector of memory an element. On hardware, of many elements.
/// Nothing, and nothing added, where there are none.
std::optional<RowKernel> with_copies_across(Lowering& lowering, const RowKernel& kernel);

}  // namespace eglantine::lower
