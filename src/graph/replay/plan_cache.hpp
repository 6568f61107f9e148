#pragma once

#include <unordered_map>
#include <vector>

#include "graph/replay/recorded_plan.hpp"
#include "graph/words_hash.hpp"

namespace eglantine {

/// Plans by the structure of their graphs. A graph of a known structure, as in any loop, is not planned again: the
/// recorded plan gets its buffers and constants. For one device. Graphs with users' operations are planned each time.
class PlanCache {
 public:
  /// unplaced: makes buffers that lie nowhere. most_words: of all entries' structures together, 8 bytes each; past it
  /// the cache starts anew.
  PlanCache(const DeviceLimits& device, const Allocate& unplaced, size_t most_words = size_t{1} << 21)
      : device_(device), unplaced_(unplaced), placeholder_(unplaced(0)), most_words_(most_words) {}

  /// What eglantine::plan() makes. Under a GraphLock.
  Plan plan(const std::vector<NodePtr>& roots, const Allocate& allocate);
  size_t size() const { return entries_.size(); }

 private:
  const RecordedPlan& recorded(const std::vector<NodePtr>& roots);

  DeviceLimits device_;
  Allocate unplaced_;
  BufferPtr placeholder_;  ///< of the recorded kernels: which of their buffers there are is part of their structure
  size_t most_words_;
  GraphStructure graph_;  ///< of the last graph: a member to reuse its memory
  std::unordered_map<std::vector<int64_t>, RecordedPlan, WordsHash> entries_;
  size_t words_ = 0;
};

}  // namespace eglantine
