#include "graph/planning/assignment/row_findings.hpp"

#include <vector>

#include "graph/planning/assignment/row_values.hpp"

namespace eglantine {

void RowResults::note(const Node& x, const Node& kernel, const RowFolds& rows) {
  const Node& reader = owners_.computed_first(kernel);
  if (&reader == &x || doubtful_.count(&x) != 0) return;
  const std::unordered_set<const Node*>& memory = owners_.materialized;
  const Node* elements = elements_above(reader, x, rows, memory);
  if (elements != nullptr && share_elements(*elements, *x.as<nodes::Reduce>()->arg, memory))
    return find_elements(*elements, x, reader, rows);
  find_rows(x, reader, rows);
}

void RowResults::find_elements(const Node& elements, const Node& x, const Node& reader, const RowFolds& rows) {
  std::unordered_set<const Node*> memory = owners_.materialized;
  memory.erase(&x);
  const std::optional<RowValues> found = row_values(reader, rows, memory, device_);
  if (!found) return find(elements, found_.results);
  for (const Node* value : found->values) find(*value, found_.values);
  found_.recomputed.insert(found->recomputed.begin(), found->recomputed.end());
}

void RowResults::find_rows(const Node& x, const Node& reader, const RowFolds& rows) {
  const std::unordered_set<const Node*>& memory = owners_.materialized;
  const Node* above = rows_above(reader, x, rows, memory);
  const bool has_below = has_fold_below(x, rows, memory);
  if (above != nullptr && (has_below || has_fold_beside(*above, x, rows, memory, device_)))
    return find(*above, found_.results);
  if (has_below && !x.is_kept() && !x.awaits_derivative()) find(x, found_.values);
}

void RowResults::find(const Node& result, std::unordered_set<const Node*>& results) {
  if (results.insert(&result).second) doubt(result);
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
