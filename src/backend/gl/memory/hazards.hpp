#pragma once

#include <algorithm>

#include "backend/gl/memory/allocator.hpp"

namespace eglantine::gl {

/// Inserts a glMemoryBarrier exactly where an access depends on an earlier shader access. Dispatches are numbered: a
/// block records the last that read and that wrote it, and each kind of barrier the last that it covers.
class HazardTracker {
 public:
  /// texel_reads: shaders read some blocks as texture buffers.
  explicit HazardTracker(Context& context, bool texel_reads = false)
      : context_(context), reads_(texel_reads ? GL_TEXTURE_FETCH_BARRIER_BIT : 0) {}

  /// For every block of a dispatch, then begin_dispatch(). beside: it writes no element that the one before it writes.
  void before_shader(const MemoryBlock& block, bool writes, bool beside = false);
  void begin_dispatch();  ///< inserts a barrier if one of the blocks needs it
  void after_shader(const MemoryBlock& block, bool writes);
  /// Whether a dispatch that writes the block would need a barrier.
  bool write_waits(const MemoryBlock& block) const { return last_use(block, true) > shader_covers_; }
  void before_copy(const MemoryBlock& block, bool writes);  ///< a GL copy or mapping: inserts a barrier if needed
  void before_host();  ///< the host reads what shaders wrote into mapped memory, after a fence

 private:
  /// The dispatch to wait for. Writes depend on readers too, which may still run when the pool hands a block out again.
  static uint64_t last_use(const MemoryBlock& block, bool writes) {
    return writes ? std::max(block.last_written, block.last_read) : block.last_written;
  }

  Context& context_;
  GLbitfield reads_;            ///< barriers for reads other than by storage blocks
  uint64_t dispatch_ = 1;       ///< the number of the next dispatch
  uint64_t shader_covers_ = 0;  ///< dispatches up to this one are visible to shaders
  uint64_t copy_covers_ = 0;    ///< and to copies
  bool pending_ = false;
};

}  // namespace eglantine::gl
