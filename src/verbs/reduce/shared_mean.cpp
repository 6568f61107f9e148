#include "verbs/reduce/shared_mean.hpp"

#include <optional>

#include "eglantine/verbs/reductions.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "verbs/composite.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/row_order.hpp"

namespace eglantine::verbs {
namespace {

bool is_in_memory(const Tensor& x) {
  const GraphLock lock;
  return layout_in_memory(*x.node()).has_value();
}

/// That of a variance of the plan, if it has one. A sum alone takes less: of 678,941 x 16 over axis 0 on an H200 29 us,
/// means of parts and of those 57.
NodePtr mean_parts(const nodes::Composite& of) {
  const Tensor x(of.args[0]);
  const Axes axes = axes_from(of.numbers, 0);
  if (const std::optional<Tensor> found = known_mean(x, axes)) return found->node();
  const Tensor total = axes.rank() == x.rank() ? sum_of_mean(x) : sum(x, axes);
  return (total / static_cast<float>(count_over("mean", x.shape(), axes))).node();
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

Tensor mean_as_one(const Tensor& x, const Axes& axes) {
  constexpr int64_t nodes_of_parts = 2;
  return composite(DType::f32, reduced_shape(x.shape(), axes, false),
                   {mean_parts, {x.node()}, with_axes({}, axes), nodes_of_parts, true});
}

}  // namespace eglantine::verbs
