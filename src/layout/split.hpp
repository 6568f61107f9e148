#pragma once

#include <functional>
#include <vector>

#include "eglantine/shape.hpp"

namespace eglantine::layout {

/// A box of a kernel's domain: `length[i]` coordinates from `start[i]` along axis i.
struct Box {
  Shape start;
  Shape length;
};

/// What one box may be.
struct SplitLimits {
  int64_t block_bytes;   ///< bytes that one binding may cover, counted from its aligned start
  int64_t box_elements;  ///< domain elements in one dispatch
  int64_t alignment;     ///< bytes; a binding starts at the last multiple of it that is not past the first element
};

/// Cuts a domain into boxes, so that in each box every layout reaches at most `block_bytes` from its aligned start and
/// the box has at most `box_elements`. Each element is in exactly one box; the pieces of each cut come in increasing
/// order, nearly equal, and as few as fit. `multiples[i]`: cuts along axis i fall on multiples of it (vector width,
/// block of the reduction tree); 1 where any cut will do. Layouts all have the domain's shape; elements have
/// `element_bytes` bytes. Throws ShapeError when the multiples are too coarse for the limits.
std::vector<Box> split(const Shape& domain, const std::vector<Layout>& layouts, const Shape& multiples,
                       int64_t element_bytes, const SplitLimits& limits);

/// Multiples for split(): `wanted` along the innermost axis, as far as so many elements of each layout fit into one
/// binding wherever they start; 1 along the others.
Shape inner_multiples(const std::vector<Layout>& layouts, int64_t wanted, int64_t element_bytes,
                      const SplitLimits& limits);

/// The address of a box's first coordinate.
int64_t address(const Layout& x, const Shape& coordinate);
/// The layout of a box: x with the box's lengths and start.
Layout restrict_to(const Layout& x, const Box& box);

}  // namespace eglantine::layout
