#pragma once

#include <optional>
#include <unordered_set>

#include "graph/device_limits.hpp"
#include "graph/node.hpp"

/// Which reductions are steps of a row kernel (RowKernel): those whose results are used over the same rows again.
namespace eglantine {

/// The rows of one kernel: those of nodes of `shape` along `axes`, and the reductions that it computes.
struct RowFolds {
  Shape shape;
  Axes axes;          ///< ascending
  const Node* first;  ///< of the folds: decides the order in which rows are combined
  std::unordered_set<const Node*> folds;
  const Node* gathered = nullptr;  ///< the gather of an element for each row that the kernel computes itself, if any
};

/// Columns of up to so many elements each, or on GPUs in all, are a kernel's, however few they are: one group reads
/// them in the time of the dispatches that would read them apart.
inline constexpr int64_t short_columns = 1024, few_elements = int64_t{1} << 15;

/// x's rows, if it can be a step of a row kernel: a reduction of floats along rows that fit on a chip, or so many of
/// which that reading them again costs less than storing what is made of them.
std::optional<RowFolds> rows_of(const Node& x, const DeviceLimits& device);

/// Whether one kernel computes what is made of x's rows along `axes`, more than once each.
bool has_rows_of_a_kernel(const Node& x, const Axes& axes, const DeviceLimits& device);

/// The length of parts, at most `longest` and at least half of that, that leaves the fewest elements behind them.
int64_t part_with_little_rest(int64_t length, int64_t longest);

/// The axes that are not a row's in the order of memory, where rows are columns in that order but not in their own: for
/// kernels that give values of rows alone, and may go through them in any order. Else none.
Axes order_of_columns(const RowFolds& rows, const DeviceLimits& device);

/// Whether a kernel may compute x, a reduction, in an order of its own though other kernels or a user read it.
bool may_reorder(const Node& x);

/// Whether computing both reads something of a row's size twice: a large node that is below `a` and below `b`, each
/// looked for down to what is in memory.
bool share_elements(const Node& a, const Node& b, const std::unordered_set<const Node*>& materialized);

/// What a kernel would compute row by row (element by element of rows) below x, with `fold` below it; null where there
/// is none.
const Node* rows_above(const Node& x, const Node& fold, const RowFolds& rows,
                       const std::unordered_set<const Node*>& materialized);
const Node* elements_above(const Node& x, const Node& fold, const RowFolds& rows,
                           const std::unordered_set<const Node*>& materialized);

/// A reduction below x, which has a value for each row of one of x's readers; null where there is none.
const Node* fold_below(const Node& x, const std::unordered_set<const Node*>& materialized);

/// Whether x is a reduction of these rows that a row kernel may compute.
bool is_over(const Node& x, const RowFolds& rows);

/// Whether a reduction of the same rows is below x, a reduction: then both may become one kernel.
bool has_fold_below(const Node& x, const RowFolds& rows, const std::unordered_set<const Node*>& materialized);

/// Whether an expression of values of rows reads another reduction than x of the same rows and elements: one with
/// another below it, where the device does not take less for any that it computes together.
bool has_fold_beside(const Node& expression, const Node& x, const RowFolds& rows,
                     const std::unordered_set<const Node*>& materialized, const DeviceLimits& device);

}  // namespace eglantine
