#include <vector>

#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"

namespace eglantine::derivatives {

namespace {

/// The places that a sort's elements came from.
Tensor places_of(const nodes::Sort& sort, Shape shape) {
  if (!sort.read.empty()) shape[sort.axis] = sort.keys->shape[sort.axis];
  const Tensor places =
      pend(make_sort({sort.keys, nullptr, sort.axis, sort.descending, nodes::Sorted::places}, shape, DType::i32));
  if (sort.read.empty()) return places;
  std::vector<Tensor> read;
  for (const int64_t place : sort.read) read.push_back(places.slice(sort.axis, place, place + 1));
  return concatenate(read, sort.axis);
}

/// g at the places that sorted values came from.
void give_to_places(const nodes::Sort& sort, const NodePtr& to_node, const Tensor& g, Cotangents& to) {
  if (!to.wants(to_node)) return;
  const Tensor places = places_of(sort, g.shape());
  to.give(to_node, scatter(zeros(to_node->shape, g.dtype(), g.device()), sort.axis, places, g));
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
  if (sort == nullptr) fail_without(to.function(), "the second output of another kernel");
  give_to_places(*sort, sort->payload, g, to);
}

}  // namespace eglantine::derivatives
