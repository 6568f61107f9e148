#include "graph/planning/assignment/row_kernels.hpp"

#include <algorithm>

namespace eglantine {

/// x's rows, if it may be a step of a row kernel in this assignment.
std::optional<RowFolds> RowKernels::foldable_rows_of(const Node& x) const {
  const bool may_fold = x.as<nodes::Reduce>() != nullptr && forced_.count(&x) == 0 && found_.alone.count(&x) == 0;
  return may_fold ? rows_of(x, device_) : std::nullopt;
}

void RowKernels::start(const Node& x, const Node& kernel) {
  std::optional<RowFolds> rows = foldable_rows_of(x);
  if (rows && has_fold_below(x, *rows, owners_.materialized)) owners_.rows.emplace(&kernel, std::move(*rows));
}

std::vector<const Node*> RowKernels::join(const Node& x, const Reads& reads) {
  const std::optional<RowFolds> rows = foldable_rows_of(x);
  std::vector<const Node*> kernels;
  for (const Read& read : reads) {
    if (!rows || read.in_memory || read.as_piece) return {};
    if (std::find(kernels.begin(), kernels.end(), read.kernel) == kernels.end()) kernels.push_back(read.kernel);
  }
  if (!std::ranges::all_of(kernels, [&](const Node* kernel) { return may_join(x, *kernel, *rows); })) return {};
  for (const Node* kernel : kernels) owners_.rows.emplace(kernel, *rows).first->second.folds.insert(&x);
  return kernels;
}

const Node* RowKernels::join_and_store(const Node& x, const Reads& reads, const ExtraOutputs& extra_outputs) {
  const std::optional<RowFolds> rows = owners_.passing.count(&x) != 0 ? foldable_rows_of(x) : std::nullopt;
  const auto stores = [&](const Read& read) {
    const Node& kernel = *read.kernel;
    return owners_.rows_at(kernel) != nullptr && may_join(x, kernel, *rows) &&
           extra_outputs.can_store_computed(x, kernel, reads);
  };
  const auto found = rows ? std::ranges::find_if(reads, stores) : reads.end();
  if (found == reads.end()) return nullptr;
  owners_.rows.at(found->kernel).folds.insert(&x);
  owners_.stored_by[&x] = found->kernel;
  return found->kernel;
}

bool RowKernels::may_join(const Node& x, const Node& kernel, const RowFolds& rows) const {
  const Node& arg = *x.as<nodes::Reduce>()->arg;
  const bool of_elements = kernel.is_elementwise() && kernel.shape.elements() == rows.shape.elements();
  if (const RowFolds* known = owners_.rows_at(kernel)) {
    const Node& elements = *known->first->as<nodes::Reduce>()->arg;
    return known->shape == rows.shape && known->axes == rows.axes &&
           (share_elements(elements, arg, beyond(kernel)) ||
            has_fold_beside(kernel, x, rows, beyond(kernel), device_) ||
            (of_elements && share_elements(kernel, arg, beyond(kernel))));
  }
  if (owners_.accumulator_of.count(&kernel) != 0) return false;
  return of_elements ? share_elements(kernel, arg, beyond(kernel))
                     : has_fold_beside(kernel, x, rows, beyond(kernel), device_);
}

void RowKernels::expect(const Node& x, const Reads& reads) {
  if (forced_.count(&x) != 0 || !x.is_elementwise()) return;
  for (auto read = reads.rbegin(); read != reads.rend(); ++read) expect(x, *read->kernel);
}

void RowKernels::expect(const Node& x, const Node& kernel) {
  if (!kernel.is_elementwise() || owners_.accumulator_of.count(&kernel) != 0 || owners_.rows_at(kernel) != nullptr)
    return;
  const Node* fold = kernel.shape.elements() > x.shape.elements() ? fold_below(x, owners_.materialized) : nullptr;
  std::optional<RowFolds> rows = fold != nullptr ? foldable_rows_of(*fold) : std::nullopt;
  if (!rows || rows->shape.elements() != kernel.shape.elements()) return;
  if (!share_elements(kernel, *fold->as<nodes::Reduce>()->arg, beyond(kernel))) return;
  rows->folds.clear();
  owners_.rows.emplace(&kernel, std::move(*rows));
}

std::optional<RowFolds> RowKernels::rows_expected(const Node& kernel) const {
  if (const RowFolds* known = owners_.rows_at(kernel)) return *known;
  if (!kernel.is_elementwise() || owners_.accumulator_of.count(&kernel) != 0 ||
      found_.without_folds.count(&kernel) != 0)
    return std::nullopt;
  const Node* fold = fold_below(kernel, owners_.materialized);
  std::optional<RowFolds> rows = fold != nullptr ? foldable_rows_of(*fold) : std::nullopt;
  if (rows) rows->folds.clear();
  return rows;
}

RowFolds& RowKernels::expect_rows(const Node& kernel) {
  return owners_.rows.emplace(&kernel, *rows_expected(kernel)).first->second;
}

void RowKernels::note_results(const Node& x, const Node& kernel, const Reads& reads) {
  const std::optional<RowFolds> rows = foldable_rows_of(x);
  if (!rows || std::ranges::any_of(reads, [](const Read& read) { return read.in_memory || read.as_piece; })) return;
  for (const Read& read : reads)
    if (read.kernel != &kernel && owners_.rows_at(*read.kernel) == nullptr) results_.note(x, *read.kernel, *rows);
}

/// What this kernel reads from memory, and does not store itself.
std::unordered_set<const Node*> RowKernels::beyond(const Node& kernel) const {
  std::unordered_set<const Node*> found = owners_.materialized;
  for (const auto& [stored, owner] : owners_.stored_by)
    if (owner == &kernel) found.erase(stored);
  return found;
}

}  // namespace eglantine
