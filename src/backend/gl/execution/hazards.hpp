#pragma once

#include <algorithm>

#include "backend/gl/memory/allocator.hpp"

namespace eglantine::gl {

/// Puts a glMemoryBarrier where an access to a block must wait for a shader's, and nowhere else. Dispatches are
/// numbered; a block remembers the last that read it and the last that wrote it, and each kind of barrier the last it
/// covers.
class HazardTracker {
 public:
  /// texel_reads: shaders read some blocks as texture buffers.
  explicit HazardTracker(Context& context, bool texel_reads = false)
      : context_(context), reads_(texel_reads ? GL_TEXTURE_FETCH_BARRIER_BIT : 0) {}

  /// A dispatch is about to read, or write, the block. Call for every block, then begin_dispatch().
  void before_shader(const MemoryBlock& block, bool writes);
  /// Waits if one of the blocks needs it.
  void begin_dispatch();
  void after_shader(const MemoryBlock& block, bool writes);
  /// Whether a dispatch that writes the block has to wait for another one.
  bool write_waits(const MemoryBlock& block) const { return last_use(block, true) > shader_covers_; }
  /// A copy by GL itself, or a mapping, is about to read or write the block. Waits if it needs to.
  void before_copy(const MemoryBlock& block, bool writes);
  /// The host is about to look, behind a fence, at what shaders wrote into mapped memory.
  void before_host();

 private:
  /// The dispatch that an access to the block comes behind. A write comes behind the readers too: the pool may have
  /// handed the block out again while they run.
  static uint64_t last_use(const MemoryBlock& block, bool writes) {
    return writes ? std::max(block.last_written, block.last_read) : block.last_written;
  }

  Context& context_;
  GLbitfield reads_;            ///< a barrier for other ways to read than storage blocks
  uint64_t dispatch_ = 1;       ///< the number of the next dispatch
  uint64_t shader_covers_ = 0;  ///< every dispatch up to this one is visible to shaders
  uint64_t copy_covers_ = 0;    ///< and to copies
  bool pending_ = false;
};

}  // namespace eglantine::gl
