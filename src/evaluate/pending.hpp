#pragma once

#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Bytes of computed tensors that pending nodes alone may keep alive before some of them are computed, so that results
/// that nobody reads hold no memory without end. Of larger tensors, as much as so many of the largest.
inline constexpr int64_t max_pending_bytes = int64_t{1} << 28, max_pending_tensors = 4;

/// While one lives, what its thread makes is noted without a look, and may be of more nodes: of a derivative's rule or
/// a verb that is half built parts would be computed, and stored, that kernels have in registers. For the library's
/// own, not around what a user wrote, which may keep any amount of memory.
class BuiltWhole {
 public:
  BuiltWhole() { ++depth_; }
  BuiltWhole(const BuiltWhole&) = delete;
  BuiltWhole& operator=(const BuiltWhole&) = delete;
  ~BuiltWhole() { --depth_; }

  static bool is_on() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

/// Notes a new pending node. Returns what to compute before it where pending nodes keep too much: of the oldest ones
/// that nothing pending is made of, as many as keep half of it.
std::vector<NodePtr> note_pending(const NodePtr& node, const GraphLock& lock);

/// What note_pending() would return, of the nodes there are.
std::vector<NodePtr> overdue_pending(const GraphLock& lock);

/// The same whether they keep too much or not, where they may keep so much of that. What a loop makes in each step is
/// then cut where it was the step before, if each begins with a look, and its plans are known (graph/replay).
std::vector<NodePtr> look_at_pending(double share, const GraphLock& lock);

}  // namespace eglantine
