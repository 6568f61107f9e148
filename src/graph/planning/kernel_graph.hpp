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
  using Kernel = const Node*;

  void add(Kernel kernel) { kernels_.push_back(kernel); }
  void need(Kernel reader, Kernel writer);
  /// Whether `kernel` waits for one of these, directly or through others. Not for itself.
  bool needs_any(Kernel kernel, const std::unordered_set<Kernel>& others) const;
  /// Every kernel behind those it needs, otherwise the last added first. Throws Error should there be a cycle.
  std::vector<Kernel> in_order_of_running() const;

 private:
  const std::vector<Kernel>& needed_by(Kernel kernel) const;

  std::vector<Kernel> kernels_;
  std::unordered_map<Kernel, std::vector<Kernel>> needed_;
};

/// Throws the Error of kernels that wait for one another, which the planner must never make.
[[noreturn]] void fail_cycle();

}  // namespace eglantine
