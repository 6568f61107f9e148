#pragma once

#include <memory>

#include "backend/gl/memory/allocator.hpp"
#include "backend/gl/memory/exported_memory.hpp"

namespace eglantine::gl {

/// Large buffers in memory imported through GL_EXT_memory_object_fd, others from `plain`. On an H200 plain storage is
/// mapped in small pages: maps of several large operands ran at half the speed of imported memory, and strided reads at
/// a hundredth (docs/performance.md). Falls back to plain storage when an import fails.
class ImportedAllocator : public Allocator {
 public:
  ImportedAllocator(Context& context, std::unique_ptr<Allocator> plain, std::unique_ptr<ExportedMemory> source)
      : context_(context), plain_(std::move(plain)), source_(std::move(source)) {}

  /// Buffers of this size are imported: smaller ones are not worth starting CUDA's driver, which takes a fifth of a
  /// second.
  static constexpr int64_t smallest = int64_t{1} << 24;
  /// Once that driver runs, buffers of this size too, if they fill whole pages: random reads of 4 MiB took twice as
  /// long in small pages. Smaller buffers fit the caches.
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
  bool runs_ = false;  ///< an import has succeeded
};

}  // namespace eglantine::gl
