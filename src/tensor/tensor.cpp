#include "eglantine/tensor.hpp"

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/pend.hpp"
#include "graph/boundaries.hpp"
#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"

namespace eglantine {

Tensor::Tensor(float value) : Tensor(full({}, value)) {}

void Tensor::fail_undefined() {
  throw Error("[Tensor] this is no tensor: it was default-constructed or moved from; assign one to it first");
}

const Shape& Tensor::shape() const& { return node()->shape; }
int Tensor::rank() const { return node()->shape.rank(); }
int64_t Tensor::size() const { return node()->shape.elements(); }
DType Tensor::dtype() const { return node()->dtype; }
Device Tensor::device() const { return Device(node()->device); }

Layout Tensor::layout() const {
  const GraphLock lock;
  const std::optional<Placed> at = behind_boundaries(placed(node()));
  return at && at->source->is_computed() ? at->layout : layout::contiguous(shape());
}

const Tensor& Tensor::eval() const& {
  evaluate(node());
  return *this;
}

Tensor Tensor::eval() && {
  evaluate(node());
  return std::move(*this);
}

void eval(std::initializer_list<Tensor> tensors) { eval(std::vector<Tensor>(tensors)); }

void eval(const std::vector<Tensor>& tensors) {
  std::vector<NodePtr> nodes;
  for (const Tensor& x : tensors) nodes.push_back(x.node());
  evaluate(nodes);
  settle_pending();
}

std::string explain(const Tensor& x) { return explain_node(x.node()); }

}  // namespace eglantine
