#include "backend/gl/memory/copy_team.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace eglantine::gl {
namespace {
constexpr size_t worth_sharing = size_t{1} << 20;
constexpr size_t most_helpers = 7;
}  // namespace

CopyTeam::~CopyTeam() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  helpers_.clear();  // joins, before the members that the helpers use are destroyed
}

void CopyTeam::copy(void* to, const void* from, size_t bytes) {
  if (bytes >= worth_sharing && helpers_.empty()) start();
  if (bytes < worth_sharing || helpers_.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    to_ = static_cast<std::byte*>(to);
    from_ = static_cast<const std::byte*>(from);
    bytes_ = bytes;
    busy_ = helpers_.size();
    ++round_;
  }
  changed_.notify_all();
  copy_chunk(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
}

void CopyTeam::start() {
  const size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const size_t count = std::min(cores - 1, most_helpers);
  // The helpers read helpers_ only after the first copy is announced.
  helpers_ = start_threads(count, "eglantine-copy", [this](size_t number) { work(number + 1); });
}

void CopyTeam::work(size_t member) {
  std::unique_lock lock(mutex_);
  for (size_t seen = 0;;) {
    changed_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    lock.unlock();
    copy_chunk(member);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void CopyTeam::copy_chunk(size_t member) const {
  // Chunks end on cache lines, so that no two threads write the same line.
  const size_t chunk = (bytes_ / (helpers_.size() + 1) + 63) / 64 * 64;
  const size_t first = std::min(bytes_, chunk * member);
  const size_t last = member == helpers_.size() ? bytes_ : std::min(bytes_, first + chunk);
  std::memcpy(to_ + first, from_ + first, last - first);
}

}  // namespace eglantine::gl
