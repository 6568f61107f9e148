#pragma once

#include <memory>

#include "backend/gl/memory/allocator.hpp"
#include "backend/gl/memory/exported_memory.hpp"

namespace eglantine::gl {

/// Large buffers in memory imported through GL_EXT_memory_object_fd; others, or if that fails and the pool has not as
/// much to give back, from `plain`. On an H200 its small pages make maps of several large operands 2 x, strided reads
/// 100 x as slow (docs/performance-notes.md).
class ImportedAllocator : public Allocator {
 public:
  ImportedAllocator(Context& context, std::unique_ptr<Allocator> plain, std::unique_ptr<ExportedMemory> source)
      : context_(context), plain_(std::move(plain)), source_(std::move(source)) {}

  static constexpr int64_t smallest = int64_t{1} << 24;  ///< smaller ones are not worth 0.2 s to start CUDA's driver
  /// Once that driver runs, buffers of this size too, if they fill half of their pages: random reads of 1.0, 1.3, 1.9,
  /// 2.6 and 4 MiB in small pages take about twice as long as those of 0.3 MiB there and of 3.4 MiB in large ones.
  static constexpr int64_t smallest_later = int64_t{1} << 20;

  MemoryBlock allocate(int64_t capacity) override;
  MemoryBlock allocate_best(int64_t capacity) override;
  void free(const MemoryBlock& block) override;
  bool large_pages() const override { return true; }

 private:
  bool fills_pages(int64_t capacity) const;
  bool is_imported(int64_t capacity) const;
  MemoryBlock import(int64_t capacity);
  GLuint import_memory(int64_t bytes);

  Context& context_;
  std::unique_ptr<Allocator> plain_;
  std::unique_ptr<ExportedMemory> source_;
  bool runs_ = false;  ///< an import has succeeded
};

}  // namespace eglantine::gl
