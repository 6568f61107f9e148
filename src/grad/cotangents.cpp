#include "grad/cotangents.hpp"

#include "eglantine/ops.hpp"

namespace eglantine::derivatives {

bool Cotangents::wants(const NodePtr& x) const { return record_.leads_to(x) && is_float(x->dtype); }

void Cotangents::give(const NodePtr& x, const Tensor& cotangent) {
  if (!cotangent.defined() || !wants(x)) return;
  Tensor& sum = sums_[x.get()];
  const Tensor added = cotangent.astype(x->dtype);
  sum = sum.defined() ? sum + added : added;
}

Tensor Cotangents::take(const Node& x) {
  const auto found = sums_.find(&x);
  if (found == sums_.end()) return {};
  Tensor sum = std::move(found->second);
  sums_.erase(found);
  return sum;
}

}  // namespace eglantine::derivatives
