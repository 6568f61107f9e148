#include "backend/kept_uploads.hpp"

#include <algorithm>

#include "backend/buffer.hpp"

namespace eglantine {

const KeptUploads::Buffers* KeptUploads::find(const Words& words) {
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.words == words; });
  if (known == kept_.end()) return nullptr;
  const auto has_failed = [](const auto& each) { return each.second.buffer->has_failed(); };
  if (std::any_of(known->buffers.begin(), known->buffers.end(), has_failed)) {
    bytes_ -= known->bytes;
    kept_.erase(known);
    return nullptr;
  }
  kept_.splice(kept_.begin(), kept_, known);
  return &kept_.front().buffers;
}

void KeptUploads::add(const Words& words, Buffers made) {
  int64_t bytes = 0;
  for (const auto& [shape, stored] : made) bytes += stored.buffer->bytes();
  if (bytes > most_bytes / 8 || find(words) != nullptr) return;  // another thread's may be there by now
  kept_.push_front({words, std::move(made), bytes});
  for (bytes_ += bytes; bytes_ > most_bytes || kept_.size() > most_kept; kept_.pop_back()) bytes_ -= kept_.back().bytes;
}

}  // namespace eglantine
