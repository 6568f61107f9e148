#include "verbs/reduce/shared_mean.hpp"

#include <memory>
#include <vector>

#include "eglantine/verbs/reductions.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "verbs/composite.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/row_order.hpp"

namespace eglantine::verbs {
namespace {

/// Those of a plan, which holds them while it is made.
struct Shared {
  std::weak_ptr<const Node> x, mean;
};
thread_local std::vector<Shared> of_plan;

bool are_same(const Layout& a, const Layout& b) {
  return a.shape == b.shape && a.strides == b.strides && a.offset == b.offset;
}

/// Whether both are one node, or two views of one that show the same.
bool are_same(const NodePtr& a, const NodePtr& b) {
  if (a == b || !a) return a == b;
  const auto *x = a->as<nodes::View>(), *y = b->as<nodes::View>();
  return x != nullptr && y != nullptr && !x->boundary && !y->boundary && x->source == y->source &&
         are_same(x->layout, y->layout);
}

bool is_in_memory(const Tensor& x) {
  const GraphLock lock;
  return layout_in_memory(*x.node()).has_value();
}

NodePtr mean_parts(const nodes::Composite& of) {
  for (const Shared& shared : of_plan)
    if (const NodePtr mean = shared.mean.lock(); mean && are_same(shared.x.lock(), of.args[0])) return mean;
  const Tensor x(of.args[0]);
  return (sum_of_mean(x) / static_cast<float>(x.size())).node();
}

/// By the parts' means of a variance of the plan, if it has one. A sum alone takes less: of 678,941 x 16 on an H200 29
/// us, means of parts and of those 57.
NodePtr mean_of_columns_parts(const nodes::Composite& of) {
  const Tensor x(of.args[0]);
  const Axes axes = axes_from(of.numbers, 0);
  if (const std::optional<Tensor> found = known_mean(x, axes)) return found->node();
  return (sum(x, axes) / static_cast<float>(count_over("mean", x.shape(), axes))).node();
}

}  // namespace

Tensor all_in_memory(const Tensor& x, const Axes& axes) {
  const bool may = axes.rank() == x.rank() && !axes.empty() && is_gpu(x.device()) && !lies_in_order(x);
  return may ? in_order_of_memory(forwards_along(x, axes), axes).x : x;
}

bool may_share_mean(const Tensor& x, const Axes& axes) {
  constexpr int64_t fewest = int64_t{1} << 22;  // as has_enough_for_a_rest() in parts_in_memory.cpp
  return axes.rank() == x.rank() && x.size() >= fewest && is_gpu(x.device()) && is_in_memory(x);
}

bool are_columns_of_one_node(const Tensor& x, const Axes& axes) {
  return axes.rank() == 1 && are_columns(x, axes) && is_gpu(x.device()) && may_be_one({x.node()}) && is_in_memory(x) &&
         !is_whole(x, axes);
}

Tensor mean_of_columns(const Tensor& x, const Axes& axes) {
  constexpr int64_t nodes_of_parts = 12;
  return composite(DType::f32, reduced_shape(x.shape(), axes, false),
                   {mean_of_columns_parts, {x.node()}, with_axes({}, axes), nodes_of_parts, true});
}

Tensor mean_of_all(const Tensor& x) {
  constexpr int64_t nodes_of_parts = 2;
  return composite(DType::f32, {}, {mean_parts, {x.node()}, {}, nodes_of_parts, true});
}

void share_mean(const Tensor& x, const Axes& axes, const Tensor& mean) {
  if (!PlanParts::are_made() || axes.rank() != x.rank()) return;
  PlanParts::hold(mean.node());
  std::erase_if(of_plan, [](const Shared& shared) { return shared.mean.expired(); });
  of_plan.push_back({x.node(), mean.node()});
}

}  // namespace eglantine::verbs
