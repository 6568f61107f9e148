#pragma once

#include <cstddef>

namespace eglantine {

inline constexpr size_t large_page = size_t{1} << 21;  ///< of the processor, in bytes

/// Advises large pages for untouched memory that spans several: first touches are most of fresh memory's cost.
void ask_for_large_pages(void* data, size_t bytes);

}  // namespace eglantine
