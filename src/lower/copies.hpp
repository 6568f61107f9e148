#pragma once

#include <optional>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "lower/lowering.hpp"

/// Copies on a software device, where they are memcpy, while a kernel wakes threads and stores the components of one
/// invocation after another: 100,352 elements take llvmpipe 10 us by copies, and 70 to 130 us by a kernel. The driver
/// copies a few long rows; short ones the host, where it maps buffers.
namespace eglantine::lower {

/// Whether it is a load, and "copy" operations, which read views.
bool only_moves(const Expr& expr);
/// The copy of a map that only moves elements, in long contiguous rows or, where Target::maps_memory, in rows of any
/// length; nothing where a kernel is to do it.
std::optional<Copy> copy_of(const Target& target, const MapKernel& kernel);
/// The same of a map with several results, each without gaps: a copy each; none where a kernel is to do it.
std::vector<Copy> copies_of(const Target& target, const MapKernel& kernel);
bool is_by_host(const Target& target, const Copy& copy);
std::vector<CopyRange> ranges_of(const Copy& copy);  ///< the driver's, row by row

/// Whether a gather moves long rows, so that the device may read its indices and let the driver copy.
bool gathers_rows(const Target& target, const GatherKernel& kernel);
/// Where the indices of such a gather's rows lie, as elements of the index's buffer.
layout::Reach indices_of_rows(const GatherKernel& kernel);
/// The copies for those indices. Nothing where one is out of range: the kernel then reports it.
std::optional<std::vector<CopyRange>> copies_of_rows(const GatherKernel& kernel, std::span<const int32_t> indices);

}  // namespace eglantine::lower
