#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/node.hpp"

namespace eglantine {

/// Which kernels wait for which: a needs b when a reads from memory what b stores. A kernel is named by its first
/// result's node. Acyclic if nodes are assigned readers first: a new kernel needs nothing yet, and a node joins a
/// kernel only if that needs none of the node's other readers (needs_any).
class KernelGraph {
 public:
  using KernelId = const Node*;

  void add(KernelId kernel) { kernels_.push_back(kernel); }
  void need(KernelId reader, KernelId writer);
  /// Whether `kernel` waits for one of these, directly or through others. Not for itself.
  bool needs_any(KernelId kernel, const std::unordered_set<KernelId>& others) const;
  /// Every kernel behind those it needs, those that nobody needs as early as that, otherwise the last added first.
  /// Throws Error should there be a cycle.
  std::vector<KernelId> in_order_of_running() const;

 private:
  const std::vector<KernelId>& needed_by(KernelId kernel) const;
  std::vector<KernelId> with_early_ends(const std::vector<KernelId>& order) const;

  std::vector<KernelId> kernels_;
  std::unordered_map<KernelId, std::vector<KernelId>> needed_;
};

/// Throws the error of kernels that wait for one another, which the planner must never make.
[[noreturn]] void fail_cycle();

}  // namespace eglantine
