#include "evaluate/beside.hpp"

#include "graph/graph_lock.hpp"
#include "graph/node.hpp"

namespace eglantine {

void compute_beside(const std::vector<Tensor>& gradients, const Tensor& value) {
  const GraphLock lock;
  if (!is_pending(*value.node())) return;
  for (const Tensor& g : gradients)
    if (is_pending(*g.node())) g.node()->account(lock).beside = value.node();
}

Tensor pending_beside(const Tensor& x) {
  const GraphLock lock;
  const NodePtr value = x.node()->account(lock).beside.lock();
  return value && is_pending(*value) ? Tensor(value) : Tensor();
}

}  // namespace eglantine
