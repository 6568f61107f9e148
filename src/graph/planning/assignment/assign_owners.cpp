#include "graph/planning/assignment/assign_owners.hpp"

#include "graph/planning/assignment/assigner.hpp"

namespace eglantine {

namespace {

/// Row kernels that need be none. all_found: else what a new result reads may join next time.
void note_needless(const Ownership& owners, bool all_found, RowFindings& found) {
  for (const auto& [kernel, rows] : owners.rows) {
    const bool is_of_rows = kernel->shape.elements() == rows.first->shape.elements();
    if (all_found && rows.folds.size() == 1 && is_of_rows) found.alone.insert(*rows.folds.begin());
    if (rows.folds.empty() && is_of_rows) found.without_folds.insert(kernel);
  }
}

}  // namespace

Ownership assign_owners(const std::vector<NodePtr>& roots, const std::unordered_set<const Node*>& forced,
                        const DeviceLimits& device) {
  RowFindings found;
  for (;;) {
    const size_t before = found.size(), results = found.results.size();
    Ownership owners = Assigner(forced, device, found).run(roots);
    note_needless(owners, found.results.size() == results, found);
    if (found.size() == before) return owners;
  }
}

}  // namespace eglantine
