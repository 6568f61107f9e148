#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/node.hpp"
#include "graph/planning/ownership/row_chains.hpp"

namespace eglantine {

/// Which kernel computes each pending node.
struct Ownership {
  std::vector<NodePtr> order;                    ///< pending nodes, sources first
  std::unordered_set<const Node*> materialized;  ///< get a buffer: they are some kernel's output
  /// Element-wise node, materialized or in place, -> the reduction, product, ... that its kernel computes first.
  std::unordered_map<const Node*, const Node*> accumulator_of;
  /// Materialized node -> the materialized element-wise node whose kernel also writes it, as an extra output.
  std::unordered_map<const Node*, const Node*> stored_by;
  /// Element-wise kernel -> those of its extra outputs that its own result is not made of: they read the same elements.
  std::unordered_map<const Node*, std::vector<const Node*>> beside;
  /// Materialized node -> the rows that its kernel works through, and the reductions that are steps of it.
  std::unordered_map<const Node*, RowFolds> rows;
  /// Pieces of a placement that a contraction writes in their place, itself or as its epilogue (accumulator_of): not
  /// materialized, as nothing else reads them.
  std::unordered_set<const Node*> in_place;
  /// Values of rows that are materialized for this plan alone: their sums are added in a row kernel's own order, which
  /// whoever reads them later must not see.
  std::unordered_set<const Node*> passing;
  /// Sums of a few elements that are part of their readers' expressions.
  std::unordered_set<const Node*> short_sums;
  /// The kernels, each behind those whose results it reads: materialized nodes that no other one's kernel stores.
  std::vector<const Node*> kernels;

  /// Of a row kernel; else null.
  const RowFolds* rows_at(const Node& kernel) const {
    const auto known = rows.find(&kernel);
    return known == rows.end() ? nullptr : &known->second;
  }
  /// The node whose argument a kernel's prologue is: its accumulator, or the kernel's node itself.
  const Node& computed_first(const Node& kernel) const {
    const auto accumulator = accumulator_of.find(&kernel);
    return accumulator == accumulator_of.end() ? kernel : *accumulator->second;
  }
};

}  // namespace eglantine
