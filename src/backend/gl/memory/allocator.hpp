#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/gl/context/context.hpp"

namespace eglantine::gl {

/// A buffer object and the dispatches that last used it (HazardTracker's numbers), kept when the pool hands it out.
struct MemoryBlock {
  GLuint name = 0;
  int64_t capacity = 0;
  GLuint memory = 0;                ///< the memory object of an imported buffer; 0 for plain storage
  const std::byte* host = nullptr;  ///< its address on the host; null for device memory
  mutable uint64_t last_written = 0;
  mutable uint64_t last_read = 0;
  mutable bool apart = false;  ///< each dispatch uses words of its own: shaders wait for no other's
};

/// Allocates device memory for the pool.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual MemoryBlock allocate(int64_t capacity) = 0;  ///< exactly `capacity` bytes; name 0 where memory ran out
  /// The same of the best memory for so many bytes alone: name 0 where it ran out, though slower memory may be left.
  virtual MemoryBlock allocate_best(int64_t capacity) { return allocate(capacity); }
  virtual void free(const MemoryBlock& block) = 0;
  virtual bool large_pages() const { return false; }  ///< whether large buffers lie in large pages
};

MemoryBlock new_memory_block(Context& context, int64_t capacity);  ///< without storage

/// Plain GL storage: immutable where the driver has buffer storage, else by glBufferData.
class GlAllocator : public Allocator {
 public:
  /// `direct`: the client reads and writes the buffers by gl(Get)BufferSubData or mapping.
  GlAllocator(Context& context, bool direct) : context_(context), direct_(direct) {}
  MemoryBlock allocate(int64_t capacity) override;
  void free(const MemoryBlock& block) override;

 private:
  void define_storage(GLuint name, int64_t capacity);
  Context& context_;
  bool direct_;
};

/// Host memory that the device writes and the host reads, persistently mapped. Needs buffer storage.
class MappedAllocator : public Allocator {
 public:
  explicit MappedAllocator(Context& context) : context_(context) {}
  MemoryBlock allocate(int64_t capacity) override;
  void free(const MemoryBlock& block) override { context_.gl().DeleteBuffers(1, &block.name); }  // which unmaps it

 private:
  Context& context_;
};

}  // namespace eglantine::gl
