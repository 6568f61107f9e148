#include "graph/planning/ownership/kernel_graph.hpp"

#include <algorithm>
#include <utility>

#include "eglantine/error.hpp"

namespace eglantine {

void fail_cycle() {
  throw Error(
      "[eval] kernels of this program wait for one another, which is a mistake of the library's: please report the "
      "program; computing its parts with eval(), one after another, goes around it");
}

void KernelGraph::need(KernelId reader, KernelId writer) {
  std::vector<KernelId>& needed = needed_[reader];
  if (std::find(needed.begin(), needed.end(), writer) == needed.end()) needed.push_back(writer);
}

const std::vector<KernelGraph::KernelId>& KernelGraph::needed_by(KernelId kernel) const {
  static const std::vector<KernelId> nothing;
  const auto found = needed_.find(kernel);
  return found == needed_.end() ? nothing : found->second;
}

bool KernelGraph::needs_any(KernelId kernel, const std::unordered_set<KernelId>& others) const {
  std::unordered_set<KernelId> seen{kernel};
  for (std::vector<KernelId> open{kernel}; !open.empty();) {
    const KernelId next = open.back();
    open.pop_back();
    for (const KernelId needed : needed_by(next)) {
      if (others.count(needed)) return true;
      if (seen.insert(needed).second) open.push_back(needed);
    }
  }
  return false;
}

/// Kernels that nobody waits for, right behind the last one that they need: what they alone still read is then freed.
/// Gradients of weights would otherwise all wait for the one of the first layer.
std::vector<KernelGraph::KernelId> KernelGraph::with_early_ends(const std::vector<KernelId>& order) const {
  std::unordered_map<KernelId, size_t> places;
  for (size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  std::unordered_set<KernelId> needed;
  for (const KernelId kernel : order) needed.insert(needed_by(kernel).begin(), needed_by(kernel).end());
  std::vector<std::vector<KernelId>> ends(order.size());
  for (const KernelId kernel : order) {
    size_t behind = needed_by(kernel).empty() ? places[kernel] : 0;
    for (const KernelId each : needed_by(kernel)) behind = std::max(behind, places[each]);
    if (needed.count(kernel) == 0) ends[behind].push_back(kernel);
  }
  std::vector<KernelId> early;
  for (size_t i = 0; i < order.size(); ++i) {
    if (needed.count(order[i]) != 0) early.push_back(order[i]);
    early.insert(early.end(), ends[i].begin(), ends[i].end());
  }
  return early;
}

/// Depth first, with a stack of its own: how deep kernels wait for each other is the program's to decide.
std::vector<KernelGraph::KernelId> KernelGraph::in_order_of_running() const {
  enum class State { open, done };
  std::unordered_map<KernelId, State> states;
  std::vector<KernelId> order;
  std::vector<std::pair<KernelId, size_t>> path;  // a kernel, and how many of those it needs have been looked at
  const auto enter = [&](KernelId kernel) {
    const auto [known, is_new] = states.emplace(kernel, State::open);
    if (is_new)
      path.emplace_back(kernel, 0);
    else if (known->second == State::open)
      fail_cycle();
  };
  for (auto first = kernels_.rbegin(); first != kernels_.rend(); ++first) {
    enter(*first);
    while (!path.empty()) {
      auto& [kernel, looked_at] = path.back();
      const std::vector<KernelId>& needed = needed_by(kernel);
      if (looked_at < needed.size()) {
        enter(needed[looked_at++]);
        continue;
      }
      states[kernel] = State::done;
      order.push_back(kernel);
      path.pop_back();
    }
  }
  return with_early_ends(order);
}

}  // namespace eglantine
