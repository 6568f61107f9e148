#include "grad/cotangents.hpp"

#include <utility>

#include "eglantine/ops.hpp"

namespace eglantine::derivatives {

bool Cotangents::wants(const NodePtr& x) const { return record_.leads_to(x) && is_float(x->dtype); }

void Cotangents::give(const NodePtr& x, const Tensor& cotangent) {
  if (!cotangent.defined() || !wants(x)) return;
  Tensor& sum = given_to(*x).sum;
  const Tensor added = cotangent.astype(x->dtype);
  sum = sum.defined() ? sum + added : added;
}

void Cotangents::give_part(const NodePtr& x, const Placing& part) {
  if (wants(x)) given_to(*x).parts.push_back({part.g.astype(x->dtype), part.at});
}

Tensor Cotangents::take(const Node& x) {
  if (record_.known.find(&x) < 0) return {};
  const Given given = std::exchange(given_to(x), {});
  if (given.parts.empty()) return given.sum;
  const Tensor parts = joined(given.parts, x);
  return given.sum.defined() ? given.sum + parts : parts;
}

}  // namespace eglantine::derivatives
