#pragma once

#include <vector>

#include "layout/split.hpp"
#include "lower/index/indexed_addresses.hpp"
#include "lower/lowering.hpp"

/// Windows of kernels whose addresses depend on data: each dispatch covers a part of what indices address, and skips
/// the rest.
namespace eglantine::lower {

/// One dispatch of an indexed kernel: a box of its domain, and the window of the axis that its binding covers.
struct IndexWindow {
  layout::Box box;
  Window axis;
};

/// What an indexed kernel addresses.
struct Indexed {
  Layout start;  ///< over the domain: the element at index 0 of the axis
  int64_t length = 0, stride = 0;
};

/// The fewest windows in which one binding covers each layout (over the domain) and everything that `indexed` may
/// address. Cuts along the innermost axis fall on multiples of `inner_multiple` where so many elements fit into a
/// binding.
std::vector<IndexWindow> index_windows(const Target& target, const std::vector<Layout>& layouts, const Indexed& indexed,
                                       int64_t inner_multiple);

/// The boxes alone, for a pass that does not access the indexed tensor.
std::vector<layout::Box> index_boxes(const Target& target, const std::vector<Layout>& layouts, int64_t inner_multiple);

}  // namespace eglantine::lower
