#pragma once

#include <cstdint>
#include <vector>

#include "graph/planning/plan.hpp"
#include "graph/replay/structure.hpp"

namespace eglantine {

/// A plan by numbers: what a graph's structure leaves open is put in when it is replayed for a graph of the same words.
class RecordedPlan {
 public:
  /// made: for `graph`, into buffers that nothing else knows. Holds none of the graph's buffers afterwards.
  RecordedPlan(Plan made, const GraphStructure& graph);

  Plan replay(const GraphStructure& graph, const Allocate& allocate) const;

 private:
  /// A result: the graph's node, and the number of its buffer.
  struct Result {
    int32_t node, buffer;
    StorageType storage;
  };
  class Numbering;
  std::vector<BufferPtr> buffers_of(const GraphStructure& graph, const Allocate& allocate) const;

  std::vector<Kernel> kernels_;       ///< with a placeholder for each buffer
  std::vector<int32_t> handles_;      ///< the kernels' buffers, in the order of for_each_buffer()
  std::vector<int32_t> read_;         ///< buffers of the graph: numbers 0 and on
  std::vector<int64_t> allocations_;  ///< bytes of the others, whose numbers follow
  std::vector<Result> produced_, seconds_;
  std::vector<int32_t> fused_, in_place_;  ///< nodes
};

}  // namespace eglantine
