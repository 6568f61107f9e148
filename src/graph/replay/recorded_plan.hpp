#pragma once

#include <cstdint>
#include <vector>

#include "graph/planning/plan.hpp"
#include "graph/replay/kernel_pool.hpp"
#include "graph/structure/structure.hpp"

namespace eglantine {

/// Buffers that lie nowhere, with their sizes: what graphs are planned into to be recorded.
class UnplacedBuffers {
 public:
  explicit UnplacedBuffers(const Allocate& make) : make_(make) {}
  BufferPtr operator()(int64_t bytes) {
    BufferPtr made = make_(bytes);
    bytes_[made.get()] = bytes;
    return made;
  }
  int64_t bytes_of(const Buffer& made) const { return bytes_.at(&made); }

 private:
  const Allocate& make_;
  std::unordered_map<const Buffer*, int64_t> bytes_;
};

/// A plan by numbers: what a graph's structure leaves open is put in when it is replayed for a graph of the same words.
class RecordedPlan {
 public:
  /// made: for `graph`, into `buffers`. Has `placeholder` for each buffer afterwards.
  RecordedPlan(Plan made, const GraphStructure& graph, const UnplacedBuffers& buffers, const BufferPtr& placeholder);

  Plan replay(const GraphStructure& graph, const Allocate& allocate) const;

 private:
  /// A result: the graph's node, and the number of its buffer.
  struct Result {
    int32_t node, buffer;
    StorageType storage;
  };
  class Numbering;
  std::vector<BufferPtr> buffers_of(const GraphStructure& graph, const Allocate& allocate) const;
  std::vector<Kernel> kernels_of(const GraphStructure& graph, const std::vector<BufferPtr>& buffers) const;

  std::vector<Kernel> kernels_;       ///< with a placeholder for each buffer
  KernelPoolPtr pool_;                ///< of those
  std::vector<int32_t> handles_;      ///< the kernels' buffers, in the order of for_each_buffer()
  std::vector<int32_t> read_;         ///< buffers of the graph: numbers 0 and on
  std::vector<int64_t> allocations_;  ///< bytes of the others, whose numbers follow
  std::vector<Result> produced_, seconds_;
  std::vector<int32_t> fused_, in_place_;  ///< nodes
};

}  // namespace eglantine
