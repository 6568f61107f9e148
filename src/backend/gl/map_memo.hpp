#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "backend/gl/runtime.hpp"

namespace eglantine::gl {

/// How maps were dispatched, by all that their planning looks at: domain, layouts, dtypes, code, and which operands
/// share a buffer. A map that comes again, as in any loop, is not planned again: its dispatch gets the kernel's own
/// buffers and parameters. For one target.
class MapMemo {
 public:
  static constexpr size_t capacity = 256;

  /// The kernel's dispatch, if one of its structure is known; good until the next call. Its program has been compiled:
  /// it has no source.
  const Dispatch* find(const MapKernel& kernel);
  /// Remembers the only dispatch of a kernel. parameter_slots: the uniforms that
  /// hold its parameters.
  void keep(const MapKernel& kernel, Dispatch dispatch, std::vector<int> parameter_slots);
  size_t size() const { return known_.size(); }

 private:
  using Structure = std::vector<int64_t>;
  struct Hash {
    size_t operator()(const Structure& structure) const;
  };
  struct Known {
    Dispatch dispatch;
    std::vector<int> operands;  ///< by binding: whose buffer it is; the output's where there is no such operand
    std::vector<int> parameter_slots;
  };

  Structure asked_;  ///< kept for its memory
  std::unordered_map<Structure, Known, Hash> known_;
};

}  // namespace eglantine::gl
