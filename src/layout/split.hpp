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

/// Cuts a domain into boxes of at most `box_elements` in which every layout reaches at most `block_bytes` from its
/// aligned start. Each element is in one box; boxes of a cut are in increasing order, nearly equal, as few as fit. Cuts
/// along axis i fall on multiples of `multiples[i]` (vector width, block of the reduction tree; 1: anywhere). Layouts
/// have the domain's shape. Throws ShapeError when the multiples are too coarse for the limits.
std::vector<Box> split(const Shape& domain, const std::vector<Layout>& layouts, const Shape& multiples,
                       int64_t element_bytes, const SplitLimits& limits);

/// For split(): 1, but `wanted` along the innermost axis where each layout fits so many in a binding from any start.
Shape inner_multiples(const std::vector<Layout>& layouts, int64_t wanted, int64_t element_bytes,
                      const SplitLimits& limits);

int64_t address(const Layout& x, const Shape& coordinate);
Layout restrict_to(const Layout& x, const Box& box);  ///< x with the box's lengths and start

}  // namespace eglantine::layout
