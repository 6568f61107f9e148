#pragma once

#include <cstddef>

namespace eglantine {

/// The size of the processor's large pages, in bytes.
inline constexpr size_t large_page = size_t{1} << 21;

/// Requests large pages for memory that was not touched yet, if it spans several of them: the first touch of a page is
/// most of the cost of fresh memory. Advice only: everything works without it.
void ask_for_large_pages(void* data, size_t bytes);

}  // namespace eglantine
