#include "backend/gl/memory/allocator.hpp"

namespace eglantine::gl {

MemoryBlock new_memory_block(Context& context, int64_t capacity) {
  const Functions& gl = context.gl();
  MemoryBlock block{.capacity = capacity};
  if (gl.CreateBuffers != nullptr) {
    gl.CreateBuffers(1, &block.name);
  } else {
    gl.GenBuffers(1, &block.name);
  }
  context.check("creating a buffer");
  return block;
}

MemoryBlock GlAllocator::allocate(int64_t capacity) {
  const MemoryBlock block = new_memory_block(context_, capacity);
  define_storage(block.name, capacity);
  if (!context_.take_out_of_memory("allocating a buffer")) return block;
  free(block);
  return {};
}

void GlAllocator::define_storage(GLuint name, int64_t capacity) {
  const Functions& gl = context_.gl();
  constexpr GLbitfield by_the_host = GL_DYNAMIC_STORAGE_BIT | GL_MAP_READ_BIT | GL_MAP_WRITE_BIT;
  const GLbitfield flags = direct_ ? by_the_host : 0;  // 0 lets the driver place it in device memory
  if (gl.NamedBufferStorage != nullptr) {
    gl.NamedBufferStorage(name, capacity, nullptr, flags);
    return;
  }
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, name);
  if (gl.BufferStorage != nullptr) {
    gl.BufferStorage(GL_COPY_WRITE_BUFFER, capacity, nullptr, flags);
  } else {
    gl.BufferData(GL_COPY_WRITE_BUFFER, capacity, nullptr, GL_DYNAMIC_COPY);
  }
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
}

void GlAllocator::free(const MemoryBlock& block) { context_.gl().DeleteBuffers(1, &block.name); }

MemoryBlock MappedAllocator::allocate(int64_t capacity) {
  constexpr GLbitfield flags = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const Functions& gl = context_.gl();
  MemoryBlock block = new_memory_block(context_, capacity);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, block.name);
  gl.BufferStorage(GL_COPY_WRITE_BUFFER, capacity, nullptr, flags | GL_CLIENT_STORAGE_BIT);
  block.host = static_cast<std::byte*>(gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, capacity, flags));
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, 0);
  if (!context_.take_error() && block.host != nullptr) return block;
  free(block);
  return {};
}

}  // namespace eglantine::gl
