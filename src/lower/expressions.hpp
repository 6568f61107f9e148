#pragma once

#include <vector>

#include "graph/kernel/expression.hpp"
#include "layout/split.hpp"
#include "lower/lowering.hpp"

/// Expressions that lowering derives from a kernel's.
namespace eglantine::lower {

/// The elements of x.
Expr load_of(const Strided& x);

/// The accumulator alone.
Expr accumulator_over(const Shape& domain, DType dtype);

/// An epilogue whose accumulator is read from memory, over the same domain.
Expr reading_accumulator(Expr epilogue, const Strided& accumulator);

/// Adds the steps that compute an expression into a temporary of that layout.
Strided materialize(Lowering& lowering, const Expr& expr, const Layout& layout);

/// Zeros of u32 to words.
MapKernel zeros_of(const Strided& words);

/// Adds the steps that fill memory with zeros of u32.
void clear(Lowering& lowering, const Strided& words);

/// Restricts the expression, or a kernel's output, to a box of its domain, axes unchanged.
void restrict_to(Expr& expr, const layout::Box& box);
void restrict_to(Strided& out, const layout::Box& box);

}  // namespace eglantine::lower
