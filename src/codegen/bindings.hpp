#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eglantine/dtype.hpp"
#include "layout/layout.hpp"

namespace eglantine {
class Buffer;
}  // namespace eglantine

namespace eglantine::codegen {

/// The storage blocks of one program. An operand asks for a block over what it reaches; operands that read the same
/// buffer in the same form share one where a single range can cover both. A buffer read both by vec4 and by element is
/// bound twice.
class Bindings {
 public:
  struct Block {
    const Buffer* buffer = nullptr;
    DType dtype;
    bool vectors = false;
    bool written = false;
    bool pairs = false;     ///< a uvec2 array; `reached` still counts words
    bool awaited = false;   ///< groups wait for what others write into it
    layout::Reach reached;  ///< elements of the buffer
  };

  /// max_bytes: what one range may cover. alignment: of its start, in bytes, at least 16.
  Bindings(int64_t max_bytes, int64_t alignment) : max_bytes_(max_bytes), alignment_(alignment) {}

  int add_read(const Buffer* buffer, DType dtype, bool vectors, const layout::Reach& reached);
  int add_write(const Buffer* buffer, DType dtype, bool vectors, const layout::Reach& reached);

  /// A buffer of pairs of words, read and, where `written`, written.
  int add_pairs(const Buffer* buffer, bool written, const layout::Reach& reached);
  /// The same, where groups of one dispatch wait for what others write.
  int add_awaited_pairs(const Buffer* buffer, const layout::Reach& reached);

  int size() const { return static_cast<int>(blocks_.size()); }
  const Block& at(int binding) const { return blocks_[static_cast<size_t>(binding)]; }
  /// Whether one range covers each block.
  bool fits() const;

  int64_t first_byte(int binding) const;
  int64_t bytes(int binding) const;
  /// The element at which the range starts.
  int64_t first_element(int binding) const;

  std::string key() const;
  /// GLSL: `layout(std430, binding = 0) ... { vec4 eg_b0[]; };` for each block.
  std::string declarations() const;

 private:
  bool covers(const Block& block) const;
  int64_t first_byte_of(const Block& block) const;
  int64_t bytes_of(const Block& block) const;

  int64_t max_bytes_;
  int64_t alignment_;
  std::vector<Block> blocks_;
};

/// "eg_b3".
std::string block_name(int binding);

}  // namespace eglantine::codegen
