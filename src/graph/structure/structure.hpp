#pragma once

#include <cstdint>
#include <vector>

#include "graph/node.hpp"
#include "graph/structure/pointer_numbers.hpp"

namespace eglantine {

/// What plan() depends on of some roots and all that they are computed from, as words: kinds, shapes, layouts, what is
/// computed and shares a buffer, and which memory a placement or scatter may take over. Not where anything lies, nor
/// the constants' values. Graphs of the same words have the same plan, up to these. Nodes, and the buffers of those
/// that are computed, are numbered in order of first use.
class GraphStructure {
 public:
  /// Under a GraphLock. Keeps pointers into the graph, which are valid under it while the roots live.
  void read(const std::vector<NodePtr>& roots);

  const std::vector<int64_t>& words() const { return words_; }
  /// Whether a user's operation is among the nodes: these are not told apart by words.
  bool has_custom() const { return has_custom_; }

  const Node& node(int32_t number) const { return *nodes_[static_cast<size_t>(number)]; }
  int32_t number_of(const Node& x) const { return numbers_.find(&x); }  ///< -1 of one that is not in the graph
  const BufferPtr& buffer(int32_t number) const { return *buffers_[static_cast<size_t>(number)]; }
  int32_t number_of(const Buffer& x) const { return buffer_numbers_.find(&x); }
  /// Whether more than its reader holds a node that a placement or a scatter starts from. Asked once, as tensors may be
  /// dropped on other threads meanwhile.
  bool is_held_elsewhere(const Node& base) const;

 private:
  friend class StructureWriter;
  std::vector<int64_t> words_;
  std::vector<const Node*> nodes_, taken_over_;
  std::vector<const BufferPtr*> buffers_;
  PointerNumbers numbers_, buffer_numbers_;
  bool has_custom_ = false;
};

}  // namespace eglantine
