#pragma once

#include <optional>
#include <span>

#include "layout/layout.hpp"
#include "lower/lowering.hpp"

/// What the driver copies. On a software device that is a memcpy, while a kernel wakes threads and stores the
/// components of one invocation after another: 100,352 elements took llvmpipe 10 us so, and 70 to 130 by a kernel.
namespace eglantine::lower {

/// A map that only moves elements, where they lie side by side in long rows before and after. Nothing where a kernel is
/// to do it.
std::optional<Copy> copy_of(const Target& target, const MapKernel& kernel);

/// Whether a gather is one of long rows, whose indices the device may read to have the driver copy them.
bool gathers_rows(const Target& target, const GatherKernel& kernel);
/// The indices of such a gather's rows: where they lie, as elements of the index's buffer.
layout::Reach indices_of_rows(const GatherKernel& kernel);
/// The copies that those indices, as read, ask for. Nothing where one of them lies outside its axis: the kernel then
/// tells of it.
std::optional<Copy> copy_of_rows(const GatherKernel& kernel, std::span<const int32_t> indices);

}  // namespace eglantine::lower
