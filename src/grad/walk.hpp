#pragma once

#include <algorithm>
#include <vector>

#include "eglantine/error.hpp"
#include "eglantine/tensor.hpp"
#include "graph/graph_lock.hpp"
#include "graph/node.hpp"
#include "graph/structure/pointer_numbers.hpp"

namespace eglantine::derivatives {

/// A trace that ends, also when the function throws.
struct ActiveTrace {
  TracePtr trace = std::make_shared<Trace>();
  ActiveTrace() = default;
  ActiveTrace(const ActiveTrace&) = delete;
  ActiveTrace& operator=(const ActiveTrace&) = delete;
  ~ActiveTrace() {
    if (trace->active) end();
  }

 private:
  void end() noexcept try {
    std::vector<nodes::Value> forgotten;  // what ends with it ends without the lock
    const GraphLock lock;
    forgotten = end_trace(*trace, lock);
  } catch (const DeviceError&) {
    trace->active = false;  // in a child that was forked, which can compute nothing
  }
};

inline bool is_made_through(const Node& x, const TracePtr& trace) {
  return std::find(x.traces.begin(), x.traces.end(), trace) != x.traces.end();
}

/// The nodes made through a trace that lead to the results, sources first. for_each_origin(value, visit): what a value
/// leads back to. Depth first, with a stack of its own: how deep a function is, is its own affair.
template <class ForEachOrigin>
std::vector<NodePtr> nodes_through(const TracePtr& trace, const std::vector<Tensor>& results,
                                   ForEachOrigin for_each_origin, const GraphLock&) {
  struct Open {
    const NodePtr* node;
    size_t first, next;  ///< of its origins, behind which there are no others
  };
  std::vector<NodePtr> found;
  std::vector<Open> path;
  std::vector<const NodePtr*> origins;  // of the whole path; the lock keeps them where they are
  PointerNumbers known;
  const auto enter = [&](const NodePtr& x) {
    if (!is_made_through(*x, trace) || !known.number(x.get()).second) return;
    path.push_back({&x, origins.size(), origins.size()});
    for_each_origin(x->origin(), [&](const NodePtr& origin) { origins.push_back(&origin); });
  };
  for (const Tensor& result : results) {
    enter(result.node());
    while (!path.empty()) {
      Open& last = path.back();
      if (last.next < origins.size()) {
        enter(*origins[last.next++]);
        continue;
      }
      found.push_back(*last.node);
      origins.resize(last.first);
      path.pop_back();
    }
  }
  return found;
}

}  // namespace eglantine::derivatives
