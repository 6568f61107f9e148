#include "verbs/einsum/pair.hpp"

#include <algorithm>
#include <cstdlib>

namespace eglantine::verbs {

namespace {

size_t place_of(const Labels& labels, Label label) {
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
}
int64_t length_of(const LabelledLayout& x, Label label) {
  return x.layout.shape[static_cast<int>(place_of(x.labels, label))];
}
int64_t stride_of(const LabelledLayout& x, Label label) { return x.layout.strides[place_of(x.labels, label)]; }

int64_t length_of(const LabelledLayout& x, const Labels& group) {
  int64_t length = 1;
  for (const Label label : group) length *= length_of(x, label);
  return length;
}

/// The widest stride first, in which order axes merge if they do in any.
Labels by_stride(Labels group, const LabelledLayout& x) {
  std::stable_sort(group.begin(), group.end(),
                   [&](Label one, Label other) { return std::abs(stride_of(x, one)) > std::abs(stride_of(x, other)); });
  return group;
}

/// The order of one operand's group: as given, but for one that merges where that does not.
Labels merging(const Labels& group, const LabelledLayout& x) {
  const Labels order = by_stride(group, x);
  return !merges(x, group) && merges(x, order) ? order : group;
}

/// The order of both operands' group in which the fewest elements are copied.
Labels merging(const Labels& group, const LabelledLayout& a, const LabelledLayout& b) {
  const auto copied = [&](const Labels& order) {
    return (merges(a, order) ? 0 : a.layout.size()) + (merges(b, order) ? 0 : b.layout.size());
  };
  Labels best = group;
  for (const Labels& order : {by_stride(group, a), by_stride(group, b)})
    if (copied(order) < copied(best)) best = order;
  return best;
}

/// From 32 x 32 on, a matrix times one column has a kernel that reads the matrix through any strides
/// (graph/product_choice.cpp).
constexpr int64_t fewest_rows = 32, fewest_summed = 32;
/// On GL a smaller one is a sum of a fused product, whichever way it is written. On the CPU 20,000 matrices of 10 x 10
/// take as long either way, of 4 x 4 a tenth as sums, of 12 x 12 twice as long (two cores of an AMD EPYC).
constexpr int64_t fewest_elements = 100;

/// Of a matrix (kept, summed) times one column.
PairPlan::Form form_of_column(const LabelledLayout& matrix, const Labels& kept, const Labels& summed) {
  const int64_t rows = length_of(matrix, kept), length = length_of(matrix, summed);
  const bool in_place = merges(matrix, kept) && merges(matrix, summed) && rows * length >= fewest_elements;
  return in_place || (rows >= fewest_rows && length >= fewest_summed) ? PairPlan::Form::matmul
                                                                      : PairPlan::Form::sum_of_product;
}

PairPlan::Form form_of(const PairPlan& plan, const LabelledLayout& left, const LabelledLayout& right) {
  if (plan.summed.empty()) return PairPlan::Form::product;
  if (plan.rows.empty() && plan.columns.empty()) return PairPlan::Form::sum_of_product;
  if (plan.columns.empty()) return form_of_column(left, plan.rows, plan.summed);
  if (plan.rows.empty()) return form_of_column(right, plan.columns, plan.summed);
  return PairPlan::Form::matmul;
}

}  // namespace

Labels PairPlan::result() const {
  Labels all = batch;
  all.insert(all.end(), rows.begin(), rows.end());
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

bool merges(const LabelledLayout& x, const Labels& labels) {
  for (size_t i = 1; i < labels.size(); ++i)
    if (stride_of(x, labels[i - 1]) != stride_of(x, labels[i]) * length_of(x, labels[i])) return false;
  return true;
}

PairPlan plan_pair(const LabelledLayout& a, const LabelledLayout& b, const Labels& result) {
  PairPlan plan{};
  // So that the result's last axis is the last one of the columns, and the result lies as it is wanted.
  plan.swapped = !result.empty() && !contains(b.labels, result.back());
  const LabelledLayout &left = plan.swapped ? b : a, &right = plan.swapped ? a : b;
  for (const Label label : result) {
    const bool in_left = contains(left.labels, label), in_right = contains(right.labels, label);
    (in_left && in_right ? plan.batch : in_left ? plan.rows : plan.columns).push_back(label);
  }
  for (const Label label : left.labels)
    if (!contains(result, label)) plan.summed.push_back(label);
  plan.rows = merging(plan.rows, left);
  plan.columns = merging(plan.columns, right);
  plan.summed = merging(plan.summed, left, right);
  plan.form = form_of(plan, left, right);
  return plan;
}

}  // namespace eglantine::verbs
