#include "system/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace eglantine {

void ask_for_large_pages(void* data, size_t bytes) {
  constexpr uintptr_t page = 4096;
  if (bytes < 2 * large_page) return;
  const auto start = reinterpret_cast<uintptr_t>(data);
  const size_t skipped = (page - start % page) % page;
  (void)madvise(static_cast<std::byte*>(data) + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
}

}  // namespace eglantine
