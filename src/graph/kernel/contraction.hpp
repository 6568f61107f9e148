#pragma once

#include "graph/kernel/kernel.hpp"

/// What both backends ask of a contraction.
namespace eglantine {

/// Whether, of what one side reads, neighbours along its first `kept` axes lie closer together than along those that
/// are summed over.
bool lies_along_kept(const Expr& side, int kept);

/// The expression with axes [first, kept) behind those from `kept` on.
Expr turned(Expr x, int first, int kept);

}  // namespace eglantine
