#include "graph/made_of_sums.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "graph/op/op_info.hpp"
#include "graph/traversal.hpp"
#include "layout/reduce_tree.hpp"

namespace eglantine {

namespace {

bool shows_others(const Node& x) { return x.as<nodes::View>() != nullptr || x.as<nodes::Remap>() != nullptr; }

/// What x is, or shows some of.
const NodePtr& behind_movements(const NodePtr& x) {
  const NodePtr* at = &x;
  while (!(*at)->is_computed() && shows_others(**at))
    at = (*at)->as<nodes::View>() ? &(*at)->as<nodes::View>()->source : &(*at)->as<nodes::Remap>()->source;
  return *at;
}

Axes sorted(Axes axes) {
  std::sort(axes.begin(), axes.end());
  return axes;
}

bool are_along(const nodes::Reduce& sums, const nodes::Reduce* along) {
  return along != nullptr && sums.arg->shape == along->arg->shape &&
         sorted(sums.order.reduced) == sorted(along->order.reduced);
}

bool fuses(const Node& x) { return x.is_elementwise() || shows_others(x) || x.as<nodes::Reduce>() != nullptr; }

/// Pending nodes that x's kernel may compute, and what these read, x first, until `visit` says so.
template <class Visit>
bool any_below(const Node& x, Visit visit) {
  constexpr size_t most = 256;  // of more than any kernel takes, some are stored
  std::unordered_set<const Node*> seen{&x};
  for (std::vector<const Node*> open{&x}; !open.empty() && seen.size() < most;) {
    const Node& next = *open.back();
    open.pop_back();
    if (visit(next)) return true;
    if (next.is_computed() || !fuses(next)) continue;
    for_each_source(next, [&](const NodePtr& source) {
      if (seen.insert(source.get()).second) open.push_back(source.get());
    });
  }
  return false;
}

/// A few numbers of what is broadcast, such as coordinates of pairs of points: their readers add them up in place, in
/// the tree's order.
bool is_of_few(const nodes::Reduce& sums) {
  int64_t length = 1;
  for (const int64_t axis : sums.order.reduced) length *= sums.arg->shape[static_cast<int>(axis)];
  if (sums.any_order || length > layout::longest_pairwise_sum) return false;
  const int64_t elements = sums.arg->shape.elements();
  return !any_below(*sums.arg, [&](const Node& x) {
    const bool in_memory = x.is_computed() || !(fuses(x) || x.as<nodes::Iota>() || x.as<nodes::Constant>());
    return in_memory && x.shape.elements() >= elements;
  });
}

bool is_sum(const Node& x, const nodes::Reduce* along) {
  const auto* reduce = x.as<nodes::Reduce>();
  if (reduce == nullptr) return x.as<nodes::Composite>() != nullptr;
  return !is_selection(reduce->reduction) && is_float(x.dtype) && !is_of_few(*reduce) && !are_along(*reduce, along);
}

}  // namespace

NodePtr made_of_sums(const NodePtr& x, const nodes::Reduce* along) {
  const NodePtr& values = behind_movements(x);
  if (values->is_computed() || !(values->is_elementwise() || values->as<nodes::Composite>())) return nullptr;
  const auto is_pending_sum = [&](const Node& node) { return !node.is_computed() && is_sum(node, along); };
  return any_below(*values, is_pending_sum) ? values : nullptr;
}

const NodePtr* extremes_of(const Node& x) {
  const auto of = [&](const auto* what) {
    return what != nullptr && is_selection(what->reduction) && is_float(x.dtype) ? &what->arg : nullptr;
  };
  return x.as<nodes::Reduce>() ? of(x.as<nodes::Reduce>()) : of(x.as<nodes::Tiles>());
}

}  // namespace eglantine
