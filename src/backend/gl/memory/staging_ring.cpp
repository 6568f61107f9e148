#include "backend/gl/memory/staging_ring.hpp"

#include <utility>

#include "eglantine/error.hpp"

namespace eglantine::gl {
namespace {
constexpr int64_t ring_bytes = StagingRing::slot_bytes * static_cast<int64_t>(StagingRing::slot_count);
}

void StagingRing::create() {
  const Functions& gl = context_.gl();
  const GLbitfield access = direction_ == Direction::up ? GL_MAP_WRITE_BIT : GL_MAP_READ_BIT;
  const GLbitfield flags = access | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  gl.GenBuffers(1, &buffer_);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, buffer_);
  gl.BufferStorage(GL_COPY_WRITE_BUFFER, ring_bytes, nullptr, flags | GL_CLIENT_STORAGE_BIT);
  memory_ = static_cast<std::byte*>(gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, ring_bytes, flags));
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  const bool no_memory = context_.take_out_of_memory("creating the staging buffer");
  if (memory_ != nullptr && !no_memory) return;
  gl.DeleteBuffers(1, &buffer_);
  buffer_ = 0;
  memory_ = nullptr;
  throw OutOfMemoryError("[transfer] the driver has no " + std::to_string(ring_bytes) + " bytes for a staging buffer");
}

StagingRing::StagedRange StagingRing::take(int64_t bytes) {
  if (buffer_ == 0) create();
  if (used_ + bytes > slot_bytes) next_slot();
  const int64_t offset = static_cast<int64_t>(current_) * slot_bytes + used_;
  used_ += (bytes + 63) / 64 * 64;  // ranges begin on cache lines
  return {memory_ + offset, offset};
}

void StagingRing::next_slot() {
  busy_[current_] = fences_.insert();
  current_ = (current_ + 1) % slot_count;
  used_ = 0;
  if (GLsync fence = std::exchange(busy_[current_], nullptr)) fences_.wait(fence);
}

void StagingRing::release() {
  if (buffer_ == 0) return;
  const Functions& gl = context_.gl();
  for (GLsync& fence : busy_) {
    if (fence != nullptr) gl.DeleteSync(std::exchange(fence, nullptr));
  }
  gl.DeleteBuffers(1, &buffer_);  // unmaps; GL keeps the memory until the submitted copies are done
  buffer_ = 0;
  memory_ = nullptr;
  used_ = 0;
}

}  // namespace eglantine::gl
