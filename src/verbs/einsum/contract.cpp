#include "verbs/einsum/contract.hpp"

#include <algorithm>

#include "graph/graph_lock.hpp"
#include "verbs/build.hpp"
#include "verbs/einsum/order.hpp"
#include "verbs/einsum/pair.hpp"

namespace eglantine::verbs {

namespace {

struct Labelled {
  Tensor tensor;
  Labels labels;
};

int axis_of_label(const Labels& labels, Label label) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

Tensor permuted(const Labelled& x, const Labels& order) {
  if (order == x.labels) return x.tensor;
  Axes axes;
  for (const Label label : order) axes.push_back(axis_of_label(x.labels, label));
  return x.tensor.permute(axes);
}

/// x with an axis for each of the labels, of length 1 where x has none.
Tensor aligned(const Labelled& x, const Labels& labels) {
  Labels present;
  Shape shape;
  for (const Label label : labels) {
    const bool has = contains(x.labels, label);
    if (has) present.push_back(label);
    shape.push_back(has ? x.tensor.shape()[axis_of_label(x.labels, label)] : 1);
  }
  return permuted(x, present).reshape(shape);
}

/// x as (batch..., first, second): each group as one axis.
Tensor grouped(const Labelled& x, const Labels& batch, const Labels& first, const Labels& second) {
  Labels order = batch;
  Shape shape;
  for (const Label label : batch) shape.push_back(x.tensor.shape()[axis_of_label(x.labels, label)]);
  for (const Labels& group : {first, second}) {
    int64_t length = 1;
    for (const Label label : group) length *= x.tensor.shape()[axis_of_label(x.labels, label)];
    shape.push_back(length);
    order.insert(order.end(), group.begin(), group.end());
  }
  return permuted(x, order).reshape(shape);
}

/// Where x lies, or its view of what is still pending will: the plan, and with it the order of a sum of floats, does
/// not depend on when operands are computed.
LabelledLayout layout_of(const Labelled& x) {
  const GraphLock lock;
  return {x.labels, placed(x.tensor.node()).layout};
}

/// Diagonals for labels that x has more than once.
void take_diagonals(Labelled& x) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    const Label label = x.labels[i];
    const auto again = std::find(x.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, x.labels.end(), label);
    if (again == x.labels.end()) continue;
    x.tensor = diagonal(x.tensor, 0, static_cast<int>(i), static_cast<int>(again - x.labels.begin()));
    x.labels.erase(again);
    x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(i));
    x.labels.push_back(label);  // where diagonal() puts it
    --i;
  }
}

/// Axes of length 1 broadcast: without them each label has one length in all operands that have it.
void drop_ones(Labelled& x) {
  Axes ones;
  Labels longer;
  for (int axis = 0; axis < x.tensor.rank(); ++axis) {
    if (x.tensor.shape()[axis] == 1)
      ones.push_back(axis);
    else
      longer.push_back(x.labels[static_cast<size_t>(axis)]);
  }
  if (!ones.empty()) x.tensor = x.tensor.squeeze(ones);
  x.labels = longer;
}

/// The operands of a sum, each label in them once and longer than 1.
class Contraction {
 public:
  Contraction(std::string_view function, std::vector<Tensor> tensors, SumOfProducts sum, DType dtype)
      : function_(function), tensors_(std::move(tensors)), sum_(std::move(sum)), dtype_(dtype) {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      Labelled x = operand(i);
      take_diagonals(x);
      drop_ones(x);
      put(i, x);
    }
  }

  /// In labels' lengths and order of the output.
  Tensor run() {
    for (size_t i = 0; i < tensors_.size(); ++i) sum_alone(i);
    while (tensors_.size() > 1) multiply_next();
    return aligned(operand(0), sum_.output);
  }

 private:
  Labelled operand(size_t i) const { return {tensors_[i], sum_.operands[i]}; }
  void put(size_t i, const Labelled& x) {
    tensors_[i] = x.tensor;
    sum_.operands[i] = x.labels;
  }

  /// Sums operand i over what nothing else has.
  void sum_alone(size_t i) {
    const Labels kept = labels_of_pair(sum_, i, i);
    const Labelled x = operand(i);
    Axes axes;
    Labels left;
    for (size_t axis = 0; axis < x.labels.size(); ++axis) {
      if (contains(kept, x.labels[axis]))
        left.push_back(x.labels[axis]);
      else
        axes.push_back(static_cast<int64_t>(axis));
    }
    if (!axes.empty()) put(i, {sum(x.tensor.astype(dtype_), axes), left});
  }

  void multiply_next() {
    const auto pair = next_pair(sum_);
    if (!pair)
      check::fail<ShapeError>(function_, "each product of two of the operands that are left has more than ",
                              std::to_string(max_rank), " axes");
    const auto [i, j] = *pair;
    put(i, multiply(operand(i), operand(j), labels_of_pair(sum_, i, j)));
    tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(j));
    sum_.operands.erase(sum_.operands.begin() + static_cast<std::ptrdiff_t>(j));
  }

  Labelled multiply(const Labelled& a, const Labelled& b, const Labels& result) const {
    check::require_countable(function_, shape_of(result, sum_.lengths));
    const PairPlan plan = plan_pair(layout_of(a), layout_of(b), result);
    const Labelled &left = plan.swapped ? b : a, &right = plan.swapped ? a : b;
    if (plan.form == PairPlan::Form::matmul) return {as_matmul(left, right, plan), plan.result()};
    Labels domain = result;
    domain.insert(domain.end(), plan.summed.begin(), plan.summed.end());
    const Tensor x = aligned(left, domain).astype(dtype_), y = aligned(right, domain).astype(dtype_);
    if (plan.summed.empty()) return {x * y, result};
    Axes summed;
    for (size_t axis = result.size(); axis < domain.size(); ++axis) summed.push_back(static_cast<int64_t>(axis));
    return {multiply_sum(x, y, summed), result};
  }

  /// Widened behind the view, so that a product reads narrow numbers as they lie.
  Tensor as_matmul(const Labelled& left, const Labelled& right, const PairPlan& plan) const {
    const Tensor x = grouped(left, plan.batch, plan.rows, plan.summed).astype(dtype_);
    const Tensor y = grouped(right, plan.batch, plan.summed, plan.columns).astype(dtype_);
    return matmul(x, y).reshape(shape_of(plan.result(), sum_.lengths));
  }

  std::string_view function_;
  std::vector<Tensor> tensors_;
  SumOfProducts sum_;
  DType dtype_;
};

}  // namespace

DType check_operands(std::string_view function, const std::vector<Tensor>& tensors) {
  DType dtype = tensors[0].dtype();
  for (const Tensor& x : tensors) {
    check::require_same_device(function, tensors[0], x);
    dtype = check::common_dtype(function, dtype, x.dtype());
  }
  check::require_types(function, Types::numeric, dtype);
  return dtype;
}

Tensor contract(std::string_view function, std::vector<Tensor> tensors, SumOfProducts sum) {
  const DType meet = check_operands(function, tensors), computed = computed_type(meet);
  const DType dtype = is_float(meet) ? meet : computed;
  const Shape shape = shape_of(sum.output, sum.lengths);
  check::require_countable(function, shape);
  const bool empty =
      std::any_of(sum.lengths.begin(), sum.lengths.end(), [](const auto& one) { return one.second == 0; });
  if (empty) return zeros(shape, dtype, tensors[0].device());
  return Contraction(function, std::move(tensors), std::move(sum), computed).run().astype(dtype);
}

}  // namespace eglantine::verbs
