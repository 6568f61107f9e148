#include "graph/planning/ownership/row_chains.hpp"

#include <algorithm>
#include <vector>

namespace eglantine {

namespace {

/// Rows of up to `longest_alone` elements stay on the chip. Longer ones are read again by one work group each, which
/// pays off where there are enough rows to fill the device, and rows are short enough for one group; so do rows whose
/// elements lie apart, of which a group takes several.
constexpr int64_t longest_alone = 32768, longest = 131072, enough_rows = 64, enough_columns = 256;

// Columns of so many elements take longer to read than the dispatches that read them apart.
constexpr int64_t many_elements = int64_t{1} << 22;

/// Columns whose rows begin between vectors, so long that they are read again, and too few to be 16 vectors side by
/// side in a group for each multiprocessor: of fewer a row is read in pieces of less than a line. Softmax of 5001 x
/// 2001 on an H200 145 us, of 5001 x 2000 55; apart of 12,000 x 1001 70.
bool are_in_pieces(int64_t rows, int64_t length, const DeviceLimits& device) {
  constexpr int64_t vector = 4, shortest = 1024, multiprocessors_for_enough = 6;
  return device.enough_columns > 0 && rows % vector != 0 && length > shortest &&
         rows < multiprocessors_for_enough * device.enough_columns && rows * length >= many_elements;
}

bool is_long(int64_t rows, int64_t length, bool strided, const DeviceLimits& device) {
  if (length <= short_columns) return false;
  if (strided && device.enough_columns > 0 && rows * length <= few_elements) return false;
  if (strided && rows < enough_columns) return true;
  if (strided && rows < device.enough_columns && rows * length >= many_elements) return true;
  if (strided && are_in_pieces(rows, length, device)) return true;
  return length > longest_alone && (length > longest || rows < enough_rows);
}

bool folds(const nodes::Reduce& reduce) {
  switch (reduce.reduction) {
    case Reduction::sum:
    case Reduction::prod:
    case Reduction::max:
    case Reduction::min:
      return reduce.arg->dtype == DType::f32;
    default:
      return false;
  }
}

/// What a kernel would compute element by element below x, and the memory that it would read; x itself too. Through
/// what is materialized only where that has `rows` elements: a row kernel may store it on the way.
template <class Visit>
void for_each_below(const Node& x, const std::unordered_set<const Node*>& materialized, Visit visit,
                    int64_t rows = -1) {
  constexpr size_t most = 128;  // past this nothing is one kernel anyway
  std::unordered_set<const Node*> seen{&x};
  std::vector<const Node*> open{&x};
  while (!open.empty() && seen.size() < most) {
    const Node* next = open.back();
    open.pop_back();
    visit(*next);
    const bool through = next->is_elementwise() || next->as<nodes::View>() || next->as<nodes::Remap>();
    const bool stored = next != &x && materialized.count(next) != 0 && next->shape.elements() != rows;
    if (next->is_computed() || !through || stored) continue;
    for_each_source(*next, [&](const NodePtr& source) {
      if (seen.insert(source.get()).second) open.push_back(source.get());
    });
  }
}

/// The element-wise node of so many elements that is computed below x, with `fold` below it.
const Node* above(const Node& x, const Node& fold, int64_t elements,
                  const std::unordered_set<const Node*>& materialized) {
  const auto is_above = [&](const Node& node) {
    bool found = false;
    for_each_below(node, materialized, [&](const Node& below) { found = found || &below == &fold; });
    return found;
  };
  const Node* found = nullptr;
  for_each_source(x, [&](const NodePtr& source) {
    for_each_below(*source, materialized, [&](const Node& node) {
      const bool fits = node.is_elementwise() && node.shape.elements() == elements && !node.is_computed();
      if (found == nullptr && fits && is_above(node)) found = &node;
    });
  });
  return found;
}

/// Whether a reduction of x's rows and elements, other than x, that `counts` is computed below `from`.
template <class Counts>
bool has_fold_of(const Node& x, const Node& from, const RowFolds& rows,
                 const std::unordered_set<const Node*>& materialized, Counts counts) {
  bool found = false;
  const auto look_at = [&](const Node& node) {
    found = found ||
            (&node != &x && is_over(node, rows) && materialized.count(&node) == 0 &&
             share_elements(*x.as<nodes::Reduce>()->arg, *node.as<nodes::Reduce>()->arg, materialized) && counts(node));
  };
  for_each_below(from, materialized, look_at, x.shape.elements());
  return found;
}

}  // namespace

bool has_rows_of_a_kernel(const Node& x, const Axes& axes, const DeviceLimits& device) {
  int64_t length = 1;
  for (const int64_t axis : axes) length *= x.shape[static_cast<int>(axis)];
  if (!device.row_chains || length < 2 || length > device.longest_row) return false;
  const bool strided = is_strided(x, axes, false);
  if (length > device.longest_column && (strided || is_strided(x, axes, true))) return false;
  return !is_long(x.shape.elements() / length, length, strided, device);
}

int64_t part_with_little_rest(int64_t length, int64_t longest) {
  int64_t best = longest;
  for (int64_t part = longest; 2 * part >= longest; --part)
    if (length % part < length % best) best = part;
  return best;
}

Axes order_of_columns(const RowFolds& rows, const DeviceLimits& device) {
  const Node& elements = *rows.first->as<nodes::Reduce>()->arg;
  const int64_t count = rows.first->shape.elements(), length = rows.shape.elements() / std::max<int64_t>(count, 1);
  if (is_strided(elements, rows.axes, false) || length > device.longest_column || is_long(count, length, true, device))
    return {};
  return kept_by_distance(elements, rows.axes);
}

std::optional<RowFolds> rows_of(const Node& x, const DeviceLimits& device) {
  const auto* reduce = x.as<nodes::Reduce>();
  if (reduce == nullptr || !folds(*reduce)) return std::nullopt;
  Axes axes = reduce->order.reduced;
  std::sort(axes.begin(), axes.end());
  if (!has_rows_of_a_kernel(*reduce->arg, axes, device)) return std::nullopt;
  return RowFolds{reduce->arg->shape, axes, &x, {&x}};
}

bool may_reorder(const Node& x) {
  const auto& reduce = *x.as<nodes::Reduce>();
  return reduce.any_order || reduce.reduction == Reduction::max || reduce.reduction == Reduction::min;
}

bool share_elements(const Node& a, const Node& b, const std::unordered_set<const Node*>& materialized) {
  const int64_t size = b.shape.elements();
  std::unordered_set<const Node*> below;
  for_each_below(b, materialized, [&](const Node& x) {
    if (x.shape.elements() * 2 > size && !x.as<nodes::Iota>() && !x.as<nodes::Constant>()) below.insert(&x);
  });
  bool shared = false;
  for_each_below(a, materialized, [&](const Node& x) { shared = shared || below.count(&x) != 0; });
  return shared;
}

const Node* rows_above(const Node& x, const Node& fold, const RowFolds& rows,
                       const std::unordered_set<const Node*>& materialized) {
  return above(x, fold, rows.first->shape.elements(), materialized);
}

const Node* elements_above(const Node& x, const Node& fold, const RowFolds& rows,
                           const std::unordered_set<const Node*>& materialized) {
  return above(x, fold, rows.shape.elements(), materialized);
}

const Node* fold_below(const Node& x, const std::unordered_set<const Node*>& materialized) {
  const Node* found = nullptr;
  for_each_below(x, materialized, [&](const Node& node) {
    const auto* reduce = node.as<nodes::Reduce>();
    const bool fits = reduce != nullptr && folds(*reduce) && node.shape.elements() == x.shape.elements();
    if (found == nullptr && !node.is_computed() && fits && !materialized.count(&node)) found = &node;
  });
  return found;
}

bool is_over(const Node& x, const RowFolds& rows) {
  const auto* reduce = x.as<nodes::Reduce>();
  if (reduce == nullptr || x.is_computed() || !folds(*reduce) || reduce->arg->shape != rows.shape) return false;
  Axes axes = reduce->order.reduced;
  std::sort(axes.begin(), axes.end());
  return axes == rows.axes;
}

bool has_fold_below(const Node& x, const RowFolds& rows, const std::unordered_set<const Node*>& materialized) {
  const Node& arg = *x.as<nodes::Reduce>()->arg;
  return !arg.is_computed() && has_fold_of(x, arg, rows, materialized, [](const Node&) { return true; });
}

bool has_fold_beside(const Node& expression, const Node& x, const RowFolds& rows,
                     const std::unordered_set<const Node*>& materialized, const DeviceLimits& device) {
  const auto counts = [&](const Node& fold) {
    return device.folds_together || has_fold_below(fold, rows, materialized);
  };
  return expression.is_elementwise() && expression.shape.elements() == x.shape.elements() &&
         has_fold_of(x, expression, rows, materialized, counts);
}

}  // namespace eglantine
