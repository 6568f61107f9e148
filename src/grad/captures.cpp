#include "grad/captures.hpp"

#include <algorithm>

#include "check/check.hpp"
#include "grad/cotangents.hpp"
#include "grad/walk.hpp"

namespace eglantine::derivatives {

namespace {

/// Integers and booleans pass no cotangent on.
template <class Visit>
void for_each_float_origin(const nodes::Value& x, Visit visit) {
  const auto visit_float = [&](const NodePtr& origin) {
    if (origin && is_float(origin->dtype)) visit(origin);
  };
  const OwnDerivative* own = own_of(x);
  if (own == nullptr) return for_each_source_of(x, visit_float);
  for (const NodePtr& input : own->inputs) visit_float(input);
}

bool is_input_of(const TracePtr& trace, const nodes::Value& x) {
  const auto* view = std::get_if<nodes::View>(&x);
  return view != nullptr && view->boundary && view->boundary->trace == trace;
}

bool leads_from_input(const Tensor& result, const TracePtr& trace, const GraphLock& lock) {
  const auto origins = [](const nodes::Value& value, auto visit) { for_each_float_origin(value, visit); };
  const std::vector<NodePtr> nodes = nodes_through(trace, {result}, origins, lock);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const NodePtr& node) { return is_input_of(trace, node->origin()); });
}

bool leads_from_any_input(const Tensor& result) {
  if (!is_float(result.dtype()) || !result.node()->is_differentiated()) return false;
  const GraphLock lock;
  const Traces& traces = result.node()->traces;
  return std::any_of(traces.begin(), traces.end(), [&](const TracePtr& trace) {
    return trace->active && !trace->maps && leads_from_input(result, trace, lock);
  });
}

}  // namespace

void require_no_captures(std::string_view function, const Tensors& results) {
  if (std::any_of(results.begin(), results.end(), leads_from_any_input))
    check::fail<Error>(function,
                       "the function captures a tensor that a derivative is being taken by, which would be lost; pass "
                       "it as an argument, or take stop_gradient of it");
}

}  // namespace eglantine::derivatives
