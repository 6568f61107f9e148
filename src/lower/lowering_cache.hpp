#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lower/lowering.hpp"

namespace eglantine::lower {

/// What kernels became, by all that lowering looks at: lengths, layouts, dtypes, code, and which operands share a
/// buffer. A kernel that comes again, as in any loop, is not lowered again: its steps get the kernel's own buffers and
/// parameters. Of all families but those with indices to check, and without custom operations. For one target.
class LoweringCache {
 public:
  static constexpr size_t capacity = 256;

  LoweringCache(const Target& target, MakeBuffer make_buffer) : target_(target), make_buffer_(std::move(make_buffer)) {}

  /// The kernel's steps, good until the next call; null where kernels like it are not remembered.
  const Lowered* lower(const Kernel& kernel);
  size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }

 private:
  using Structure = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Structure& structure) const;
  };
  /// Where the kernel's own buffers and parameters go.
  struct BufferSlot {
    size_t step, range;  ///< of a Copy 0 is where it reads, 1 where it writes
    size_t buffer;       ///< of the kernel's
  };
  struct ParameterSlot {
    size_t step, uniform;
    size_t parameter;  ///< of the kernel's expressions, one after another
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
  Structure key_;                       ///< a member for its memory, as are the next two
  std::vector<const Buffer*> buffers_;  ///< of the kernel asked for, each once
  std::vector<uint32_t> parameters_;
  std::unordered_map<Structure, Entry, Hash> entries_;
};

}  // namespace eglantine::lower
