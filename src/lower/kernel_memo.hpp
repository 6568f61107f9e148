#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lower/runtime.hpp"

namespace eglantine::gl {

/// How kernels were dispatched, by all that their planning looks at: lengths, layouts, dtypes, code, and which operands
/// share a buffer. A kernel that comes again, as in any loop, is not planned again: its dispatch gets the kernel's own
/// buffers and parameters. Maps, reductions, products and rows that one dispatch does, of nothing but their own
/// buffers. For one target.
class KernelMemo {
 public:
  static constexpr size_t capacity = 256;

  /// Whether kernels like this one are remembered; then it is the one that the next calls are about.
  bool asks_for(const Kernel& kernel);
  /// The kernel's dispatch, if one of its structure is known; good until the next call. Its program is there: it has no
  /// source.
  const Dispatch* find(const Kernel& kernel);
  /// Remembers the kernel's only dispatch, unless that binds a buffer which is not the kernel's.
  void keep(const Kernel& kernel, Dispatch dispatch);
  /// The program of this key is there no longer, so neither are the dispatches of it, which have no source.
  void forget_program(const std::string& key);
  size_t size() const { return known_.size(); }

 private:
  using Structure = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Structure& structure) const;
  };
  struct Known {
    Dispatch dispatch;
    std::vector<size_t> buffers;  ///< by binding: which of the kernel's buffers it is
  };

  Structure asked_;                     ///< kept for its memory, as is the next
  std::vector<const Buffer*> buffers_;  ///< of the kernel asked for, each once
  std::unordered_map<Structure, Known, Hash> known_;
};

/// Runs a kernel of any family: as Runtime::memo() remembers it, or plans it, and has it remembered.
void run_remembered(Runtime& runtime, const Kernel& kernel);

}  // namespace eglantine::gl
