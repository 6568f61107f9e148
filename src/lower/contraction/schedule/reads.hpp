#pragma once

#include "lower/contraction/schedule/schedule.hpp"

/// How a product's operands lie in memory.
namespace eglantine::lower {

inline int64_t stride(const Layout& x, int axis) { return x.strides[static_cast<size_t>(axis)]; }

/// Whether vec4s can be read along `axis`: stride 1, and every other stride and the offset are multiples of four.
bool vectors_along(const Layout& x, int axis);

/// Whether vec4s along `axis` begin at multiples of four, though the last one may pass the axis's end: what follows
/// there belongs to the same allocation.
bool vectors_begin_along(const Layout& x, int axis);

/// How operands in memory are read where vec4s may be. past_lines: also past the last row or column, for results that
/// are not stored.
MatmulReads reads_of(const Contraction& product, bool past_lines);

/// The same of a target, where tiles of short sums have b one by one if rows of results are odd: neighbouring
/// invocations then have, and store, neighbouring columns. Of longer sums lanes exchange their results instead, which
/// takes less time than to read b so.
MatmulReads reads_for(const Target& target, const Contraction& product);

/// Whether vec4s of an operand's tile lie along m, or n, as the operand does in memory.
bool a_is_mn_major(const Contraction& product, const MatmulShader& shader);
bool b_is_mn_major(const Contraction& product, const MatmulShader& shader);

/// Whether an operand that is staged lies along k in memory.
bool a_lies_along_k(const Contraction& product, const MatmulShader& shader);
bool b_lies_along_k(const Contraction& product, const MatmulShader& shader);

}  // namespace eglantine::lower
