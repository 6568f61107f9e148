#include "graph/planning/assignment/row_findings.hpp"

#include <vector>

namespace eglantine {

void RowResults::note(const Node& x, const Node& kernel, const RowFolds& rows) {
  const Node& reader = owners_.computed_first(kernel);
  if (&reader == &x || doubtful_.count(&x) != 0) return;
  const Node* result = result_of(x, reader, rows);
  if (result != nullptr && found_.results.insert(result).second) doubt(*result);
}

const Node* RowResults::result_of(const Node& x, const Node& reader, const RowFolds& rows) const {
  const std::unordered_set<const Node*>& memory = owners_.materialized;
  const Node* elements = elements_above(reader, x, rows, memory);
  if (elements != nullptr && share_elements(*elements, *x.as<nodes::Reduce>()->arg, memory)) return elements;
  return has_fold_below(x, rows, memory) ? rows_above(reader, x, rows, memory) : nullptr;
}

/// Once this result is materialized, what is below it may be steps of its row kernel: it is looked at next time.
void RowResults::doubt(const Node& result) {
  std::vector<const Node*> open{&result};
  while (!open.empty()) {
    const Node& x = *open.back();
    open.pop_back();
    const bool of_rows = x.is_elementwise() || x.as<nodes::View>() || x.as<nodes::Remap>() || x.as<nodes::Reduce>();
    if (!is_pending(x) || !of_rows || !doubtful_.insert(&x).second) continue;
    for_each_source(x, [&](const NodePtr& source) { open.push_back(source.get()); });
  }
}

}  // namespace eglantine
