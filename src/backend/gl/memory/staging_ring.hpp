#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/gl/execution/timing/fences.hpp"

namespace eglantine::gl {

/// Persistently mapped host memory for copies to or from the device; slots in turn, each after its last copy's fence.
class StagingRing {
 public:
  static constexpr int64_t slot_bytes = int64_t{8} << 20;
  static constexpr size_t slot_count = 4;

  enum class Direction { up, down };
  struct StagedRange {
    std::byte* memory;
    int64_t offset;  ///< in buffer()
  };

  StagingRing(Context& context, Fences& fences, Direction direction)
      : context_(context), fences_(fences), direction_(direction) {}

  /// A range of `bytes` (at most a slot) that no copy uses. The caller submits its copy before the next take().
  StagedRange take(int64_t bytes);
  GLuint buffer() const { return buffer_; }
  void release();  ///< at the end of the context or on trim()

 private:
  void create();
  void next_slot();

  Context& context_;
  Fences& fences_;
  Direction direction_;
  GLuint buffer_ = 0;
  std::byte* memory_ = nullptr;
  std::array<GLsync, slot_count> busy_{};
  size_t current_ = 0;
  int64_t used_ = 0;
};

}  // namespace eglantine::gl
