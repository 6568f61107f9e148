#pragma once

#include <optional>
#include <vector>

#include "graph/kernel.hpp"
#include "layout/split.hpp"

/// Where the conditions of piecewise reads are the same: boxes of an expression's domain.
namespace eglantine::lower {

using Cuts = std::vector<std::vector<int64_t>>;  ///< by axis: where boxes start, and the axis ends

/// The cuts of all piecewise reads; empty where they cut the domain into no boxes.
Cuts cuts_of(const Expr& expr);

/// What is read around an element of such a box, as if the conditions were the same everywhere; nothing where that is
/// nothing.
std::optional<Strided> read_around(const Expr& expr, const PiecewiseRead& read, const Shape& at);

/// The largest box of an expression that computes some of what it reads rolled, if it has most elements, in rows that
/// are many vectors long; nothing where some of them have no source, or are stored on the way.
std::optional<layout::Box> inner_box(const Expr& expr);

/// The expression as it is in such a box: it reads nothing piecewise, and outside of the box what it should not.
Expr linear_in(Expr expr, const layout::Box& box);

}  // namespace eglantine::lower
