#pragma once

#include <memory>

#include "backend/gl/memory/allocator.hpp"
#include "backend/gl/memory/exported_memory.hpp"

namespace eglantine::gl {

/// Large buffers in memory imported through GL_EXT_memory_object_fd, the others as `plain` has them. On an H200 plain
/// storage is mapped in small pages: maps of several large operands ran at half the speed that they have in imported
/// memory, and walks across it at a hundredth (docs/performance.md). Whatever fails on the way leaves plain storage.
class ImportedAllocator : public Allocator {
 public:
  ImportedAllocator(Context& context, std::unique_ptr<Allocator> plain, std::unique_ptr<ExportedMemory> source)
      : context_(context), plain_(std::move(plain)), source_(std::move(source)) {}

  /// From so many bytes on a buffer is imported: for smaller ones the other driver, which takes a fifth of a second to
  /// start, is not worth starting.
  static constexpr int64_t smallest = int64_t{1} << 24;
  /// From so many on once it runs, where that takes whole pages, so that none is wasted: reads at random of 4 MiB took
  /// twice as long in small pages. Still smaller ones fit the caches.
  static constexpr int64_t smallest_later = int64_t{1} << 22;

  MemoryBlock allocate(int64_t capacity) override;
  void free(const MemoryBlock& block) override;
  bool large_pages() const override { return true; }

 private:
  bool is_whole_pages(int64_t capacity) const;
  MemoryBlock import(int64_t capacity);
  GLuint import_memory(int64_t bytes);

  Context& context_;
  std::unique_ptr<Allocator> plain_;
  std::unique_ptr<ExportedMemory> source_;
  bool runs_ = false;  ///< the source has given memory
};

}  // namespace eglantine::gl
