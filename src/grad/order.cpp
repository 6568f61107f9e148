#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"

namespace eglantine::derivatives {

namespace {

/// g at the places that sorted values came from.
void give_to_places(const nodes::Sort& sort, const NodePtr& to_node, const Tensor& g, Cotangents& to) {
  if (!to.wants(to_node)) return;
  const NodePtr places =
      make_sort({sort.keys, nullptr, sort.axis, sort.descending, nodes::Sorted::places}, g.shape(), DType::i32);
  to.give(to_node, scatter(zeros(to_node->shape, g.dtype(), g.device()), sort.axis, pend(places), g));
}

}  // namespace

void give_back(const nodes::Sort& sort, const Tensor&, const Tensor& g, Cotangents& to) {
  give_to_places(sort, sort.wanted == nodes::Sorted::places ? sort.payload : sort.keys, g, to);
}

void give_back(const nodes::SecondOutput& second, const Tensor&, const Tensor& g, Cotangents& to) {
  const nodes::Value& origin = to.origin_of(second.first);
  if (const auto* attention = std::get_if<nodes::Attention>(&origin))
    return give_back_logsumexp(*attention, second.first, g, to);
  const auto* sort = std::get_if<nodes::Sort>(&origin);
  if (sort == nullptr) fail_without("the second output of another kernel");
  give_to_places(*sort, sort->payload, g, to);
}

}  // namespace eglantine::derivatives
