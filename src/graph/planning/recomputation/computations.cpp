#include "graph/planning/recomputation/computations.hpp"

#include "graph/kernel/results_together.hpp"
#include "graph/product_choice.hpp"

namespace eglantine {

namespace {

/// How many neighbouring results the kernel of a reduction computes together, if they make the same numbers.
int64_t results_at_once(const nodes::Reduce& x) {
  const Shape& shape = x.arg->shape;
  const int last = shape.rank() - 1;
  const Axes& reduced = x.order.reduced;
  const bool may = x.reduction == Reduction::sum && x.arg->dtype == DType::f32 && !reduced.contains(last);
  return may && shape[last] <= most_results_at_once ? shape[last] : 1;
}

}  // namespace

const Node& reader_of(const Read& read, const Ownership& owners) {
  return read.ends_kernel ? *read.kernel : owners.computed_first(*read.kernel);
}

int64_t computations_by(const Read& read, const Ownership& owners) {
  if (const RowFolds* rows = owners.rows_at(*read.kernel)) return rows->shape.elements();
  if (read.piece != nullptr) return read.piece->shape.elements();
  const Node& reader = reader_of(read, owners);
  if (const auto* reduce = reader.as<nodes::Reduce>()) return reduce->arg->shape.elements() / results_at_once(*reduce);
  if (const auto* matmul = reader.as<nodes::Matmul>())
    if (const std::optional<FewColumns> few = few_columns_of(reader)) return few->matrix(*matmul)->shape.elements();
  return read.kernel->is_elementwise() ? read.kernel->shape.elements() : unknown_count;
}

}  // namespace eglantine
