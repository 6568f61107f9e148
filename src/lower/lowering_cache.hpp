#pragma once

#include <cstdint>
#include <vector>

#include "graph/words_hash.hpp"
#include "lower/lowering.hpp"
#include "system/recent_map.hpp"

namespace eglantine::lower {

/// Lowered kernels by everything that lowering depends on: lengths, layouts, dtypes, code, and which operands share a
/// buffer. A kernel of a known structure, as in any loop, gets the cached steps with its own buffers and parameters.
/// For one target; kernels with custom operations, and gathers of rows by the driver, are not cached. The structure
/// that was not used for longest makes room.
class LoweringCache {
 public:
  static constexpr size_t capacity = 2048;  ///< about 13 KB each; a training step of ResNet-50 has 756

  LoweringCache(const Target& target, MakeBuffer make_buffer) : target_(target), make_buffer_(std::move(make_buffer)) {}

  /// The kernel's steps, valid until the next call; null where the kernel is not cacheable.
  const Lowered* lower(const Kernel& kernel);
  size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

 private:
  using Structure = std::vector<int64_t>;
  /// Where the kernel's buffers and parameters go.
  struct BufferSlot {
    size_t step, range;  ///< of a Copy: 0 is read, 1 is written
    size_t buffer;       ///< number among the kernel's
  };
  struct ParameterSlot {
    size_t step, uniform;
    size_t parameter;  ///< number among the kernel's
  };
  struct Entry {
    Lowered lowered;
    std::vector<BufferSlot> buffers;
    std::vector<ParameterSlot> parameters;
  };

  bool is_cacheable(const Kernel& kernel);
  Entry made(const Kernel& kernel) const;
  void rebind(Entry& entry, const Kernel& kernel);

  const Target& target_;
  MakeBuffer make_buffer_;
  Structure key_;                       ///< members from here on to reuse their memory
  std::vector<const Buffer*> buffers_;  ///< of the kernel looked up, each once
  std::vector<uint32_t> parameters_;
  RecentMap<Structure, Entry, WordsHash> entries_;
};

}  // namespace eglantine::lower
