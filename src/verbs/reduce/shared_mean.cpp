#include "verbs/reduce/shared_mean.hpp"

#include <optional>

#include "eglantine/verbs/reductions.hpp"
#include "graph/graph_lock.hpp"
#include "graph/planning/decomposition/extremes_of_columns.hpp"
#include "layout/layout.hpp"
#include "verbs/composite.hpp"
#include "verbs/reduce/part_means.hpp"
#include "verbs/reduce/parts_in_memory.hpp"
#include "verbs/reduce/row_order.hpp"
#include "verbs/reduce/short_runs.hpp"

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

const nodes::Elementwise* operation(const NodePtr& x, Op op) {
  const auto* of = x->dtype == DType::f32 ? x->as<nodes::Elementwise>() : nullptr;
  return of != nullptr && of->op == op ? of : nullptr;
}

/// What is multiplied by itself.
NodePtr root_of(const NodePtr& squares) {
  if (const auto* square = operation(squares, Op::square)) return square->args[0];
  const auto* product = operation(squares, Op::mul);
  return product != nullptr && product->args[0] == product->args[1] ? product->args[0] : nullptr;
}

/// The node that `means` repeats along `axes` of what has this shape, if it does nothing else.
NodePtr repeated_along(const Axes& axes, const NodePtr& means, const Shape& shape) {
  const auto* view = means->as<nodes::View>();
  if (view == nullptr || view->boundary || view->source->shape != reduced_shape(shape, axes, false)) return nullptr;
  const Layout rows = layout::expand(layout::contiguous(reduced_shape(shape, axes, true)), shape);
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] > 1 && rows.strides[static_cast<size_t>(axis)] != view->layout.strides[static_cast<size_t>(axis)])
      return nullptr;
  return view->layout.shape == shape && view->layout.offset == 0 ? view->source : nullptr;
}

bool is_mean_of(const Node& mean, const Tensor& x, const Axes& axes) {
  const auto* one = mean.as<nodes::Composite>();
  if (one != nullptr && one->parts == mean_parts)
    return one->args[0] == x.node() && one->numbers == with_axes({}, axes);
  const std::optional<Tensor> of_parts = known_mean(x, axes);
  return of_parts && of_parts->node().get() == &mean;
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

bool are_rows_of_one_node(const Tensor& x, const Axes& axes) {
  if (!is_gpu(x.device()) || axes.empty() || are_columns(x, axes) || is_whole(x, axes)) return false;
  return x.size() <= most_of_one_node && may_be_one({x.node()}) && is_in_memory(x) && !has_short_runs(x, axes) &&
         !parts_of_mean(x, axes);
}

std::optional<Tensor> spread_of(const Tensor& squares, const Axes& axes) {
  if (!is_gpu(squares.device()) || axes.empty() || is_whole(squares, axes)) return std::nullopt;
  const GraphLock lock;
  const NodePtr root = root_of(squares.node());
  const auto* difference = root ? operation(root, Op::sub) : nullptr;
  if (difference == nullptr) return std::nullopt;
  const Tensor x(difference->args[0]);
  if (x.shape() != squares.shape() || !may_be_one({x.node()}) || !layout_in_memory(*x.node())) return std::nullopt;
  const NodePtr mean = repeated_along(axes, difference->args[1], x.shape());
  return mean && is_mean_of(*mean, x, axes) ? std::optional(x) : std::nullopt;
}

Tensor mean_as_one(const Tensor& x, const Axes& axes) {
  constexpr int64_t nodes_of_parts = 2;
  return composite(DType::f32, reduced_shape(x.shape(), axes, false),
                   {mean_parts, {x.node()}, with_axes({}, axes), nodes_of_parts, true});
}

}  // namespace eglantine::verbs
