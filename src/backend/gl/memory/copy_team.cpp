#include "backend/gl/memory/copy_team.hpp"

#include <algorithm>
#include <cstring>

namespace eglantine::gl {
namespace {
constexpr size_t worth_sharing = size_t{1} << 20;
}

void CopyTeam::copy(void* to, const void* from, size_t bytes) {
  if (bytes < worth_sharing) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (!threads_) threads_.emplace(threads_for_memory(), "eglantine-copy");
  constexpr int64_t grain = 4096;  // a page, so that no two threads write to a cache line
  const auto all = static_cast<int64_t>(bytes);
  threads_->parallel_for((all + grain - 1) / grain, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * grain, last = std::min(all, end * grain);
    std::memcpy(static_cast<std::byte*>(to) + first, static_cast<const std::byte*>(from) + first,
                static_cast<size_t>(last - first));
  });
}

}  // namespace eglantine::gl
