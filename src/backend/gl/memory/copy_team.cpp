#include "backend/gl/memory/copy_team.hpp"

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
  threads_->parallel_for_bytes(static_cast<int64_t>(bytes), [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace eglantine::gl
