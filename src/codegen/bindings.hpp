#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eglantine/dtype.hpp"
#include "graph/op/storage_type.hpp"
#include "layout/layout.hpp"

namespace eglantine {
class Buffer;
}  // namespace eglantine

namespace eglantine::codegen {

/// What one texel is: `width` elements (1, 2 or 4) of a dtype.
struct Texels {
  DType dtype{};
  int width = 0;
};

/// A program's storage blocks. Operands that read one buffer in the same form, or that write it, share a block where
/// one range covers both; a buffer read both by vec4 and by element is bound twice.
class Bindings {
 public:
  struct Block {
    const Buffer* buffer = nullptr;
    StorageType storage;
    bool vectors = false;
    bool wide = false;  ///< narrow storage as an array of uvec4: 16 bytes at a time
    bool written = false;
    bool pairs = false;     ///< a uvec2 array; `reached` still counts words
    bool texels = false;    ///< a sampler of a texture buffer instead of a storage block
    bool coherent = false;  ///< groups see what others write while they run
    layout::Reach reached;  ///< elements of the buffer

    DType dtype() const { return computed_type(storage); }
  };

  /// max_bytes: of a range. alignment: of its start, >= 16 bytes. texels: read() of read-only blocks is texelFetch.
  Bindings(int64_t max_bytes, int64_t alignment, bool texels = false)
      : max_bytes_(max_bytes), alignment_(alignment), texels_(texels) {}

  int add_read(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached);
  int add_wide_read(const Buffer* buffer, StorageType storage, const layout::Reach& reached);  ///< by whole(), narrow
  int add_write(const Buffer* buffer, StorageType storage, bool vectors, const layout::Reach& reached);
  int add_wide_write(const Buffer* buffer, StorageType storage, const layout::Reach& reached);  ///< 16 bytes, narrow

  int add_pairs(const Buffer* buffer, bool written, const layout::Reach& reached);  ///< pairs of words
  int add_awaited_pairs(const Buffer* buffer, const layout::Reach& reached);        ///< pairs that groups wait for

  int add_coherent(const Buffer* buffer, const layout::Reach& reached);  ///< words for signals between groups
  /// vec4s that groups write for others of the dispatch
  int add_coherent_vectors(const Buffer* buffer, StorageType storage, const layout::Reach& reached);

  int size() const { return static_cast<int>(blocks_.size()); }
  const Block& at(int binding) const { return blocks_[static_cast<size_t>(binding)]; }
  bool fits() const;  ///< one range covers each block

  int64_t first_byte(int binding) const;
  int64_t bytes(int binding) const;
  int64_t first_element(int binding) const;  ///< where the range starts

  Texels texels(int binding) const;  ///< width 0 for a storage block

  /// GLSL: the element, or vec4, at an index of the binding, widened; of booleans a uint, or uvec4.
  std::string read(int binding, const std::string& index) const;
  /// GLSL: of a block of single narrow elements the word that one lies in, and an element of such a word, as read() has
  /// it.
  std::string word(int binding, const std::string& element) const;
  std::string of_word(int binding, const std::string& word, const std::string& element) const;
  /// GLSL: what a block of vectors has at an index, of a wide one 16 bytes; and four elements of such 16 bytes, as
  /// read() has them.
  std::string whole(int binding, const std::string& index) const { return place(binding, index); }
  std::string part_of_whole(int binding, const std::string& bytes, int part) const;
  /// GLSL: the type of an element of a block of vectors, of narrow storage the words of four elements; and the four
  /// from element `first` on, as read() has them, of two elements of that type that follow each other.
  std::string vector_type(int binding) const;
  std::string widened(int binding, const std::string& words) const;  ///< the vector that a vector of memory holds
  std::string joined(int binding, const std::string& low, const std::string& high, const std::string& first) const;
  /// GLSL: four elements, of a block of vectors, from element `first` on, as read() has them. Nothing past the vec4
  /// that element `last` lies in is read, and what is beyond it is any value.
  std::string read_anywhere(int binding, const std::string& first, const std::string& last) const;
  /// The same of narrow storage, as the words that the four elements take in memory.
  std::string words_anywhere(int binding, const std::string& first, const std::string& last) const;
  /// GLSL: the four elements `value`, of the form that read() gives, as the block's element of four; and a statement
  /// that writes one element of narrow storage, of which other invocations may write the neighbours at the same time.
  std::string narrowed(int binding, const std::string& value) const;
  std::string write_one(int binding, const std::string& element, const std::string& value) const;
  /// GLSL: statements that write the first `count` of four elements (GLSL, 1 to 4) of narrow storage, from element
  /// `first` on: whole words at once. exchanged: halves, by all invocations of a subgroup, each if it is `mine`; where
  /// the one behind it has the next four elements (`leads`), it writes their first word with its last, which the other
  /// (`follows`) then leaves out.
  std::string write_words(int binding, const std::string& first, const std::string& count, const std::string& value,
                          bool exchanged = false) const;
  /// The same of the words of four elements, by name.
  std::string write_narrow(int binding, const std::string& first, const std::string& count, const std::string& four,
                           bool exchanged = false) const;
  std::string declarations() const;  ///< `layout(std430, binding = 0) ... { vec4 eg_b0[]; };` for each block

 private:
  int add(const Block& block);
  std::string place(int binding, const std::string& index) const;
  bool covers(const Block& block) const;
  int64_t first_byte_of(const Block& block) const;
  int64_t bytes_of(const Block& block) const;

  int64_t max_bytes_;
  int64_t alignment_;
  bool texels_;
  std::vector<Block> blocks_;
};

std::string block_name(int binding);  ///< "eg_b3"

}  // namespace eglantine::codegen
