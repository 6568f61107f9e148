#include "graph/planning/assignment/row_gathers.hpp"

#include <algorithm>

#include "graph/planning/recomputation/fusion.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Whether a row kernel may compute x: elements of floats at indices that are checked, each of which x has once.
bool is_gather_of_rows(const Node& x) {
  const auto* gather = x.as<nodes::Gather>();
  if (gather == nullptr || gather->check == nullptr || x.dtype != DType::f32) return false;
  const Node& index = *gather->index;
  if (!index.is_computed() && !index.as<nodes::View>() && !is_elementwise_to_memory(index, {})) return false;
  return gather->source->shape[gather->axis] > 0 && layout::same(gather->check->place, layout::contiguous(x.shape));
}

}  // namespace

const Node* RowGathers::join(const Node& x, const Uses& uses) {
  if (uses.wanted || forced_.count(&x) != 0 || !is_gather_of_rows(x)) return nullptr;
  const auto joined =
      std::ranges::find_if(uses.reads, [&](const Read& read) { return may_join(x, *read.kernel, uses); });
  if (joined == uses.reads.end()) return nullptr;
  rows_.expect_rows(*joined->kernel).gathered = &x;
  return joined->kernel;
}

/// One index is checked in a kernel, and what it stores for others it must not wait for.
bool RowGathers::may_join(const Node& x, const Node& kernel, const Uses& uses) const {
  const RowFolds* known = owners_.rows_at(kernel);
  if (known != nullptr ? known->gathered != nullptr || x.shape.elements() != known->first->shape.elements()
                       : x.shape.elements() != kernel.shape.elements() || !rows_.computes_rows(kernel))
    return false;
  std::unordered_set<const Node*> others;
  for (const Read& read : uses.reads) {
    if (read.kernel != &kernel)
      others.insert(read.kernel);
    else if (read.in_memory || read.as_piece)
      return false;
  }
  return others.empty() || !graph_.needs_any(&kernel, others);
}

}  // namespace eglantine
