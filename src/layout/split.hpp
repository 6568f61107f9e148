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

/// The limits of one box.
struct SplitLimits {
  int64_t block_bytes;   ///< bytes that a binding covers from its aligned start
  int64_t box_elements;  ///< domain elements in one dispatch
  int64_t alignment;     ///< bytes; a binding starts at a multiple of it, at or before the first element
};

/// Cuts a domain into boxes in which every layout reaches at most `block_bytes` from its aligned start, and which have
/// at most `box_elements`. Each element is in exactly one box; the boxes of each cut are in increasing order, nearly
/// equal, and as few as fit. Cuts along axis i fall on multiples of `multiples[i]` (vector width, block of the
/// reduction tree; 1: anywhere). Layouts all have the domain's shape; elements have `element_bytes` bytes. Throws
/// ShapeError when the multiples are too coarse for the limits.
std::vector<Box> split(const Shape& domain, const std::vector<Layout>& layouts, const Shape& multiples,
                       int64_t element_bytes, const SplitLimits& limits);

/// Multiples for split(): 1, but `wanted` along the innermost axis where so many elements of each layout fit into one
/// binding wherever they start.
Shape inner_multiples(const std::vector<Layout>& layouts, int64_t wanted, int64_t element_bytes,
                      const SplitLimits& limits);

/// The address of a coordinate.
int64_t address(const Layout& x, const Shape& coordinate);
/// The layout of a box: x with its lengths and start.
Layout restrict_to(const Layout& x, const Box& box);

}  // namespace eglantine::layout
