#pragma once

#include <functional>

#include "graph/kernel/kernel.hpp"
#include "layout/split.hpp"

namespace eglantine::lower {

/// The axes of an expression's domain along which it has one value, since all that it reads is broadcast along them;
/// of axis numbers that `may` accepts.
Axes repeated_axes(const Expr& value, const std::function<bool(int)>& may);

/// The first place of these axes, and all of the others.
layout::Box first_along(const Shape& domain, const Axes& axes);

/// What lies in memory once, at all places of these axes of a domain.
Strided repeated_along(Strided once, const Shape& domain, const Axes& axes);

}  // namespace eglantine::lower
