#pragma once

#include "backend/gl/allocator.hpp"

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
  void before_shader(const Block& block, bool writes);
  /// Waits if one of the blocks needs it.
  void begin_dispatch();
  void after_shader(const Block& block, bool writes);
  /// A copy by GL itself, or a mapping, is about to read or write the block. Waits if it needs to.
  void before_copy(const Block& block, bool writes);
  /// The host is about to look, behind a fence, at what shaders wrote into mapped memory.
  void before_host();

 private:
  Context& context_;
  GLbitfield reads_;            ///< a barrier for other ways to read than storage blocks
  uint64_t dispatch_ = 1;       ///< the number of the next dispatch
  uint64_t shader_covers_ = 0;  ///< every dispatch up to this one is visible to shaders
  uint64_t copy_covers_ = 0;    ///< and to copies
  bool pending_ = false;
};

}  // namespace eglantine::gl
