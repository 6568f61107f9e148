#pragma once

#include <vector>

#include "graph/expression.hpp"
#include "layout/split.hpp"

/// Expressions over a part of their domain, for kernels that take several dispatches.
namespace eglantine::lower {

/// The layouts of an expression's operands.
std::vector<Layout> layouts_of(const Expr& expr);

/// The expression over a box of its domain, axes as they were.
void restrict_to(Expr& expr, const layout::Box& box);

}  // namespace eglantine::lower
