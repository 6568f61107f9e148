#include "verbs/reduce/part_means.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "eglantine/verbs/reductions.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/graph_lock.hpp"
#include "verbs/composite.hpp"
#include "verbs/reduce/memory_order.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/short_runs.hpp"

namespace eglantine::verbs {
namespace {

/// Means that someone still holds; some are of no parts that others know.
struct Known {
  std::weak_ptr<const Node> x, parts, rest, all;
  Axes axes;
};

/// The last ones; of a plan's parts, which may be made of nothing that is not in its graph, all.
std::vector<Known>& memory() {
  thread_local std::vector<Known> of_user, of_plan;
  return PlanParts::are_made() ? of_plan : of_user;
}

void remember(Known known) {
  constexpr size_t most_of_user = 4;
  std::vector<Known>& all = memory();
  std::erase_if(all, [](const Known& k) { return k.all.expired(); });
  if (!PlanParts::are_made() && all.size() == most_of_user) all.erase(all.begin());
  all.push_back(std::move(known));
}

/// Whether two views of one node show the same.
bool show_the_same(const NodePtr& a, const NodePtr& b) {
  const auto *x = a->as<nodes::View>(), *y = b->as<nodes::View>();
  return x != nullptr && y != nullptr && !x->boundary && !y->boundary && x->source == y->source &&
         x->layout.shape == y->layout.shape && x->layout.strides == y->layout.strides &&
         x->layout.offset == y->layout.offset;
}

/// Whether it is of x along these axes; of a plan, which none else changes, also of what shows the same.
bool is_of(const Known& known, const Tensor& x, const Axes& axes) {
  const bool are_all = known.axes.rank() == x.rank() && axes.rank() == x.rank();
  const NodePtr node = known.x.lock();
  return node && (are_all || known.axes == axes) &&
         (node == x.node() || (PlanParts::are_made() && show_the_same(node, x.node())));
}

/// Means of x that someone holds.
std::optional<SplitMeans> known(const Tensor& x, const Axes& axes) {
  for (const Known& k : memory()) {
    if (!is_of(k, x, axes)) continue;
    const NodePtr parts = k.parts.lock(), rest = k.rest.lock(), all = k.all.lock();
    if (parts && rest && all) return SplitMeans{Tensor(parts), Tensor(rest), Tensor(all), true};
  }
  return std::nullopt;
}

/// The same; else those that `make` gives, which are remembered.
template <class Make>
SplitMeans known_or(const Tensor& x, const Axes& axes, Make make) {
  if (const std::optional<SplitMeans> found = known(x, axes)) return *found;
  const SplitMeans found = make();
  remember({x.node(), found.parts.node(), found.rest.node(), found.all.node(), axes});
  return found;
}

Means of_parts(const Parts& parts) {
  const Tensor each = mean(parts.x, parts.inner);
  return {each, mean_in_any_order(each, parts.outer)};
}

}  // namespace

std::optional<Parts> parts_of_mean(const Tensor& x, const Axes& axes) {
  // Elsewhere the tree's sum of a mean alone is much quicker: of 10^6 x 10 on the CPU 1.0 ms, in parts 9.
  if (axes.empty() || !is_gpu(x.device())) return std::nullopt;
  if (are_columns(x, axes)) return parts_of(x, axes);
  if (has_short_runs(x, axes)) return with_runs_as_columns(x, axes);
  // A sum of them all is one dispatch, parts are two: of fewer a mean alone would wait for that longer than a variance
  // gains.
  constexpr int64_t fewest = int64_t{1} << 26;
  return x.size() >= fewest && lies_in_order(x) && has_few_parts(x, axes) ? parts_of(x, axes) : std::nullopt;
}

Means means_of(const Parts& parts, const Tensor& x, const Axes& axes) {
  const SplitMeans found = known_or(x, axes, [&] {
    const Means means = of_parts(parts);
    return SplitMeans{means.parts, means.parts, means.all};
  });
  return {found.parts, found.all, found.known};
}

SplitMeans means_of(const SplitColumns& split, const Tensor& x, const Axes& axes) {
  return known_or(x, axes, [&] {
    const Means head = of_parts(split.head);
    const Tensor rest = mean_of_rest(split.rest, axes, [](const Tensor& each) { return each; });
    return SplitMeans{head.parts, rest, joined(head.all, rest, split.share)};
  });
}

std::optional<Tensor> known_mean(const Tensor& x, const Axes& axes) {
  if (!is_gpu(x.device())) return std::nullopt;
  for (const Known& k : memory())
    if (const NodePtr all = k.all.lock(); all && is_of(k, x, axes)) return Tensor(all);
  return std::nullopt;
}

void share_mean(const Tensor& x, const Axes& axes, const Tensor& mean) {
  if (!PlanParts::are_made()) return;
  PlanParts::hold(mean.node());
  remember({x.node(), {}, {}, mean.node(), axes});
}

std::optional<Tensor> mean_of_parts(const Tensor& x, const Axes& axes) {
  if (const auto split = split_columns_of(x, axes)) return means_of(*split, x, axes).all;
  if (const auto parts = parts_of_mean(x, axes)) return means_of(*parts, x, axes).all;
  return std::nullopt;
}

Tensor mean_of_rest(const Tensor& rest, const Axes& axes, const std::function<Tensor(const Tensor&)>& of) {
  // A kernel that joins parts reads two values of each, and stores up to four: a binding each.
  constexpr int64_t most_added = 4, bindings_of_parts = 6;
  const int axis = static_cast<int>(axes[0]);
  const int64_t rows = rest.shape()[axis];
  if (rows > std::min(most_added, limits_of(*rest.node()).max_bindings - bindings_of_parts))
    return mean_in_any_order(of(rest), axes);
  Tensor total = of(rest.slice(axis, 0, 1));
  for (int64_t row = 1; row < rows; ++row) total = total + of(rest.slice(axis, row, row + 1));
  return (total / static_cast<float>(rows)).reshape(reduced_shape(rest.shape(), axes, false));
}

Tensor joined(const Tensor& of_head, const Tensor& of_rest, double share) {
  const Tensor between = of_head + static_cast<float>(share) * (of_rest - of_head);
  const Tensor finite = where(of_rest == of_head, of_head, between);  // -0 of both
  return where(isinf(of_head), of_head + of_rest, finite);
}

Tensor sum_of_mean(const Tensor& x) {
  constexpr int64_t fewest = 1 << 18;  // fewer are read across in the time of another dispatch
  if (!is_gpu(x.device()) || !is_made_of_elements(*x.node()) || x.size() < fewest) return sum(x);
  Axes axes;
  for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  return pend(make_sum_in_any_order(x.node(), axes));
}

Tensor mean_in_any_order(const Tensor& x, const Axes& axes) {
  const int64_t count = count_over("mean", x.shape(), axes);
  const auto in_any_order = [](const Tensor& at, const layout::ReduceOrder& order) {
    return pend(make_sum_in_any_order(at.node(), order));
  };
  const Tensor total = count == 1 || x.size() == 0 ? sum(x, axes) : reduced_in_memory_order(x, axes, in_any_order);
  return total / static_cast<float>(count);
}

}  // namespace eglantine::verbs
