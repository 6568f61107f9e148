#include "evaluate/pend.hpp"

#include <utility>
#include <vector>

#include "evaluate/evaluate.hpp"
#include "evaluate/pending.hpp"
#include "graph/graph_lock.hpp"

namespace eglantine {

namespace {

/// What is built whole may be larger, by as much again: it is cut behind its end.
int64_t most_nodes() { return (BuiltWhole::is_on() ? 2 : 1) * max_pending_nodes; }

/// The pending nodes below x, each counted once, up to the limit.
int64_t count_pending(const NodePtr& x, const GraphLock& lock) {
  static int64_t counts = 0;
  ++counts;
  int64_t seen = 0;
  std::vector<const Node*> open{x.get()};
  while (!open.empty() && seen <= most_nodes()) {
    const Node& node = *open.back();
    open.pop_back();
    if (!is_pending(node) || std::exchange(node.account(lock).counted, counts) == counts) continue;
    ++seen;
    for_each_source(node, [&](const NodePtr& source) { open.push_back(source.get()); });
  }
  return seen;
}

/// The nodes that a node stands for.
int64_t own_weight(const Node& x) {
  if (const auto* stencil = x.as<nodes::Stencil>()) return stencil->taps.elements();
  if (const auto* composite = x.as<nodes::Composite>()) return composite->weight;
  return 1;
}

void weigh(const NodePtr& node, const GraphLock& lock) {
  int64_t& weight = node->account(lock).weight = own_weight(*node);
  for_each_source(*node, [&](const NodePtr& source) {
    if (is_pending(*source)) weight += source->account(lock).weight;
  });
  if (weight > most_nodes()) weight = count_pending(node, lock);
}

/// Notes and weighs a new node, its new sources first (as deep as a verb builds); adds to `first` what must precede.
void admit(const NodePtr& node, const GraphLock& lock, std::vector<NodePtr>& first) {
  for_each_source(*node, [&](const NodePtr& source) {
    if (source->account(lock).weight == 0 && is_pending(*source)) admit(source, lock, first);
  });
  for (NodePtr& overdue : note_pending(node, lock)) first.push_back(std::move(overdue));
  weigh(node, lock);
  if (node->account(lock).weight <= most_nodes()) return;
  for_each_source(*node, [&](const NodePtr& source) { first.push_back(source); });
  node->account(lock).weight = 1;
}

/// What `find` finds, outside of the lock that it has.
template <class Find>
void evaluate_found(Find find) {
  std::vector<NodePtr> found;
  {
    const GraphLock lock;
    found = find(lock);
  }
  if (!found.empty()) evaluate(found);
}

}  // namespace

Tensor pend(NodePtr node) {
  if (node->as<nodes::Constant>()) return Tensor(std::move(node));  // for ever, so it needs no lock
  if (PlanParts::are_made()) return Tensor(std::move(node));        // of a plan alone
  std::vector<NodePtr> first;
  {
    const GraphLock lock;
    admit(node, lock, first);
  }
  if (!first.empty()) evaluate(first);
  return Tensor(std::move(node));
}

void settle_pending(double share) {
  evaluate_found([&](const GraphLock& lock) { return look_at_pending(share, lock); });
}

void settle_overdue() {
  if (!BuiltWhole::is_on()) evaluate_found(overdue_pending);
}

}  // namespace eglantine
