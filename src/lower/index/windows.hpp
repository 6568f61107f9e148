#pragma once

#include <vector>

#include "lower/index/indexed_addresses.hpp"
#include "lower/lowering.hpp"
#include "lower/windows.hpp"

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

/// The fewest windows in which every layout of the cut (over the domain), and everything that `indexed` may lead to,
/// fits into a binding.
std::vector<IndexWindow> index_windows(const Target& target, const Shape& domain, const Cut& cut,
                                       const Indexed& indexed);

}  // namespace eglantine::lower
