#include "eglantine/tensor.hpp"

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/pend.hpp"
#include "graph/graph_lock.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// The node that owns x's buffer: a constant, iota or pending view (which counts as contiguous) is computed into one.
NodePtr computed_source(const NodePtr& x) {
  NodePtr source;
  bool own = false;
  {
    const GraphLock lock;
    source = placed(x).source;
    own = x->as<nodes::View>() != nullptr && is_pending(*x);
  }
  if (own) source = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  evaluate(source);
  if (source->is_computed()) return source;
  source = make_elementwise(Op::copy, x->dtype, {source, nullptr, nullptr});
  evaluate(source);
  return source;
}

layout::Reach reach_of(const Layout& wanted) {
  try {
    return layout::reach(wanted);
  } catch (const ShapeError&) {
    check::fail<ShapeError>("Tensor::as_strided", "strides ", to_string(IntList(wanted.strides)), " over shape ",
                            to_string(wanted.shape), " reach further than 64 bits can address");
  }
}

}  // namespace

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
  const Placed at = placed(node());
  return at.source->is_computed() ? at.layout : layout::contiguous(shape());
}

Tensor Tensor::as_strided(Shape target, std::vector<int64_t> strides, int64_t offset) const {
  if (strides.size() != static_cast<size_t>(target.rank()))
    check::fail<ShapeError>("Tensor::as_strided", "shape ", to_string(target), " wants ", std::to_string(target.rank()),
                            " strides, got ", std::to_string(strides.size()));
  check::require_countable("Tensor::as_strided", target);
  const bool empty = target.elements() == 0;
  const NodePtr source = computed_source(node());
  const Layout wanted{target, std::move(strides), offset};
  const layout::Reach reach = reach_of(wanted);
  const int64_t held = source->shape.elements();
  if (!empty && (reach.first < 0 || reach.last >= held))
    check::fail<ShapeError>("Tensor::as_strided", "reaches elements ", std::to_string(reach.first), " to ",
                            std::to_string(reach.last), " of a buffer of ", std::to_string(held));
  return pend(make_view(source, wanted));
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
