#include "backend/gl/memory/hazards.hpp"

namespace eglantine::gl {

void HazardTracker::before_shader(const MemoryBlock& block, bool writes, bool beside) {
  // The dispatch before has waited for all earlier uses of what it writes.
  const bool is_beside = beside && writes && block.last_written == dispatch_ - 1;
  pending_ = pending_ || (!block.apart && !is_beside && last_use(block, writes) > shader_covers_);
}

void HazardTracker::begin_dispatch() {
  if (pending_) {
    context_.gl().MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | reads_);
    shader_covers_ = dispatch_ - 1;
    pending_ = false;
  }
  ++dispatch_;
}

void HazardTracker::after_shader(const MemoryBlock& block, bool writes) {
  block.last_read = dispatch_ - 1;
  if (writes) block.last_written = dispatch_ - 1;
}

void HazardTracker::before_copy(const MemoryBlock& block, bool writes) {
  if (last_use(block, writes) <= copy_covers_) return;
  context_.gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  copy_covers_ = dispatch_ - 1;
}

void HazardTracker::before_host() {
  // Includes shader writes: the next kernel that writes this memory needs no barrier of its own.
  context_.gl().MemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT | reads_);
  shader_covers_ = dispatch_ - 1;
}

}  // namespace eglantine::gl
