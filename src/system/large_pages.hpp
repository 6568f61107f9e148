#pragma once

#include <cstddef>

namespace eglantine {

/// What the processor has beside pages of 4 KiB.
inline constexpr size_t large_page = size_t{1} << 21;

/// Asks for memory that nobody has touched yet to come in large pages, if there are several of them: the first touch of
/// a page is most of what fresh memory costs. Only advice, without which all works the same.
void ask_for_large_pages(void* data, size_t bytes);

}  // namespace eglantine
