#pragma once

#include <cstdint>
#include <optional>

#include "graph/kernel/kernel.hpp"

namespace eglantine::codegen {

/// All bounds of a piecewise read as one word, an affine function of the coordinates: the element exists where none of
/// the `signs` is set.
struct PackedBounds {
  Layout word;  ///< modulo 2^32
  uint32_t signs = 0;
};

/// For each bound 0 <= i < count the word has fields i and count - 1 - i, as two's complement and as wide as they grow
/// over the expression's domain; without those that are never negative. A negative field borrows from the ones above
/// it, but has its sign itself. Nothing where there are fewer than two bounds, none is ever passed, or the fields take
/// more than 32 bits.
std::optional<PackedBounds> packed_bounds(const Expr& expr, const PiecewiseRead& read);

}  // namespace eglantine::codegen
