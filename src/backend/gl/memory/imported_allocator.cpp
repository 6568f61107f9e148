#include "backend/gl/memory/imported_allocator.hpp"

#include <unistd.h>

#include "layout/divide.hpp"

namespace eglantine::gl {

MemoryBlock ImportedAllocator::allocate(int64_t capacity) {
  const MemoryBlock block = allocate_best(capacity);
  return block.name != 0 || !is_imported(capacity) ? block : plain_->allocate(capacity);
}

MemoryBlock ImportedAllocator::allocate_best(int64_t capacity) {
  if (!is_imported(capacity)) return plain_->allocate(capacity);
  const MemoryBlock block = import(capacity);
  runs_ = runs_ || block.name != 0;
  // Where none ever succeeded, it is not for want of memory.
  return runs_ ? block : plain_->allocate(capacity);
}

bool ImportedAllocator::is_imported(int64_t capacity) const {
  return capacity >= smallest || (runs_ && capacity >= smallest_later && fills_pages(capacity));
}

bool ImportedAllocator::fills_pages(int64_t capacity) const {
  const int64_t granularity = source_->granularity();
  if (granularity <= 0) return false;
  return 2 * capacity >= round_up(capacity, granularity);
}

MemoryBlock ImportedAllocator::import(int64_t capacity) {
  const int64_t granularity = source_->granularity();
  if (granularity <= 0) return {};
  // The buffer covers its memory object whole: over a part of it, it may read as zeros (Quirk::part_pages).
  const int64_t bytes = round_up(capacity, granularity);
  const GLuint memory = import_memory(bytes);
  if (memory == 0) return {};
  MemoryBlock block = new_memory_block(context_, capacity);
  block.memory = memory;
  const Functions& gl = context_.gl();
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, block.name);
  gl.BufferStorageMemEXT(GL_COPY_WRITE_BUFFER, bytes, memory, 0);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  if (!context_.take_error()) return block;
  free(block);
  return {};
}

GLuint ImportedAllocator::import_memory(int64_t bytes) {
  const int file = source_->allocate(bytes);
  if (file < 0) return 0;
  const Functions& gl = context_.gl();
  GLuint memory = 0;
  gl.CreateMemoryObjectsEXT(1, &memory);
  gl.ImportMemoryFdEXT(memory, static_cast<GLuint64>(bytes), GL_HANDLE_TYPE_OPAQUE_FD_EXT, file);
  if (!context_.take_error()) return memory;
  close(file);  // GL owns the descriptor only after a successful import
  gl.DeleteMemoryObjectsEXT(1, &memory);
  return 0;
}

void ImportedAllocator::free(const MemoryBlock& block) {
  if (block.memory == 0) return plain_->free(block);
  const Functions& gl = context_.gl();
  gl.DeleteBuffers(1, &block.name);
  gl.DeleteMemoryObjectsEXT(1, &block.memory);
}

}  // namespace eglantine::gl
