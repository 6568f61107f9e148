#include "graph/planning/assignment/row_values.hpp"

#include <algorithm>
#include <iterator>

#include "graph/op/op_info.hpp"
#include "graph/planning/recomputation/fusion.hpp"

namespace eglantine {

namespace {

using Nodes = std::unordered_set<const Node*>;

/// Calls `enters` once for x and each node below those for which it is true; returns all of them.
template <class Enters>
Nodes walk(const Node& x, Enters enters) {
  Nodes seen{&x};
  for (std::vector<const Node*> open{&x}; !open.empty();) {
    const Node& next = *open.back();
    open.pop_back();
    if (!enters(next)) continue;
    for_each_source(next, [&](const NodePtr& source) {
      if (seen.insert(source.get()).second) open.push_back(source.get());
    });
  }
  return seen;
}

/// What a kernel computes of rows, from what is in memory.
class Elements {
 public:
  Elements(const RowFolds& rows, const Nodes& materialized) : rows_(rows), materialized_(materialized) {}

  /// The values of rows that elements are made of. Adds the element-wise nodes of the rows' size above them to
  /// `computed`. None where an element is read in other places, or a value again later.
  std::vector<const Node*> values_of(const Node& elements, Nodes& computed) const {
    std::vector<const Node*> values;
    bool is_plain = true;
    walk(elements, [&](const Node& x) {
      if (is_read(x)) return false;
      if (is_value(x)) values.push_back(&x);
      is_plain = is_plain && !x.as<nodes::Remap>() && !x.as<nodes::LoadAt>();
      if (is_value(x)) is_plain = is_plain && !x.is_kept() && !x.awaits_derivative();
      if (x.is_elementwise() && x.shape.elements() == rows_.shape.elements()) computed.insert(&x);
      return x.as<nodes::View>() || (x.is_elementwise() && !is_value(x));
    });
    return is_plain ? values : std::vector<const Node*>{};
  }

  /// The nodes below a value of rows. Adds the bytes of the rows' size that its kernel reads.
  Nodes below(const Node& value, int64_t& bytes) const {
    return walk(value, [&](const Node& x) {
      const bool computes = x.is_elementwise() || x.as<nodes::View>() || x.as<nodes::Remap>() || is_over(x, rows_);
      if (!is_read(x) && computes) return true;
      const bool is_small = 2 * x.shape.elements() <= rows_.shape.elements();
      if (!is_small && !x.as<nodes::Constant>() && !x.as<nodes::Iota>())
        bytes += x.shape.elements() * bytes_of(x.is_computed() ? x.stored().storage : dense_storage(x.dtype));
      return false;
    });
  }

 private:
  bool is_read(const Node& x) const { return !is_pending(x) || materialized_.count(&x) != 0; }
  bool is_value(const Node& x) const {
    if (x.as<nodes::View>() || x.shape.elements() != rows_.first->shape.elements()) return false;
    const Node* fold = fold_below(x, materialized_);
    return fold != nullptr && is_over(*fold, rows_);
  }

  const RowFolds& rows_;
  const Nodes& materialized_;
};

bool are_cheap(const Nodes& recomputed, const DeviceLimits& device) {
  const size_t most_operations = 6, most_functions = device.line > 0 ? 1 : 0;
  size_t functions = 0;
  for (const Node* node : recomputed) {
    const auto* elementwise = node->as<nodes::Elementwise>();
    if (elementwise == nullptr) return false;
    if (!has_many_steps(elementwise->op, elementwise->args[0]->dtype)) continue;
    if (++functions > most_functions || !is_short_function(elementwise->op)) return false;
  }
  return recomputed.size() <= most_operations;
}

}  // namespace

std::optional<RowValues> row_values(const Node& reader, const RowFolds& rows, const Nodes& materialized,
                                    const DeviceLimits& device) {
  const auto* reduce = reader.as<nodes::Reduce>();
  if (reduce == nullptr || reduce->arg->shape.elements() != rows.shape.elements()) return std::nullopt;
  const Elements elements(rows, materialized);
  Nodes computed;
  const std::vector<const Node*> values = elements.values_of(*reduce->arg, computed);
  for (const Node* last : values) {
    int64_t bytes = 0;
    const Nodes below = elements.below(*last, bytes);
    const auto is_below = [&](const Node* node) { return below.count(node) != 0; };
    if (!std::ranges::all_of(values, is_below)) continue;
    RowValues found{values, {}};
    std::ranges::copy_if(computed, std::inserter(found.recomputed, found.recomputed.end()), is_below);
    const int64_t stored = reduce->arg->shape.elements() * bytes_of(dense_storage(reduce->arg->dtype));
    return bytes <= 2 * stored && are_cheap(found.recomputed, device) ? std::optional(found) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace eglantine
