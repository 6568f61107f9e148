#include "graph/node.hpp"

#include <algorithm>
#include <unordered_set>

#include "graph/evaluate.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// The pending nodes below x, each counted once, up to the limit.
int64_t count_pending(const NodePtr& x) {
  std::unordered_set<const Node*> seen;
  std::vector<NodePtr> open{x};
  while (!open.empty() && static_cast<int64_t>(seen.size()) <= max_pending_nodes) {
    NodePtr node = open.back();
    open.pop_back();
    if (!is_pending(*node) || !seen.insert(node.get()).second) continue;
    for (const NodePtr& source : sources_of(*node)) open.push_back(source);
  }
  return static_cast<int64_t>(seen.size());
}

/// Weighs a new node; when its expression has grown past the limit, starts computing its arguments.
NodePtr bounded(NodePtr node) {
  std::vector<NodePtr> sources;
  {
    std::scoped_lock lock(graph_mutex());
    node->weight = 1;
    sources = sources_of(*node);
    for (const NodePtr& source : sources) node->weight += is_pending(*source) ? source->weight : 0;
    if (node->weight > max_pending_nodes) node->weight = count_pending(node);
    if (node->weight <= max_pending_nodes) return node;
  }
  evaluate(sources);
  node->weight = 1;
  return node;
}

NodePtr make(const DevicePtr& device, DType dtype, const Shape& shape, nodes::Value value) {
  if (shape.elements() == 0) return make_constant(device, dtype, shape, 0);
  return bounded(std::make_shared<const Node>(device, dtype, shape, std::move(value)));
}

/// The layouts, over x's shape, of everything in memory that computing x reads: what a reduction's order is chosen
/// from.
void gather_layouts(const NodePtr& x, const Layout& at, std::unordered_set<const Node*>& seen,
                    std::vector<Layout>& out) {
  if (const auto* view = x->as<nodes::View>(); view != nullptr) {
    std::optional<Layout> through = layout::compose(at, view->layout);
    if (!through) return out.push_back(at);
    return gather_layouts(view->source, *through, seen, out);
  }
  const auto* elementwise = x->as<nodes::Elementwise>();
  if (elementwise == nullptr) {
    if (x->as<nodes::Constant>() == nullptr && x->as<nodes::Index>() == nullptr) out.push_back(at);
    return;
  }
  // A node met again through another layout would add little: each counts once, which keeps the walk linear.
  if (!seen.insert(x.get()).second) return;
  for (const NodePtr& arg : elementwise->args)
    if (arg) gather_layouts(arg, at, seen, out);
}

Shape without_axes(const Shape& shape, const Axes& axes) {
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(shape[i]);
  return kept;
}

}  // namespace

std::mutex& graph_mutex() {
  static std::mutex* mutex = new std::mutex;  // leaked: tensors in static storage may outlive every static destructor
  return *mutex;
}

NodePtr make_leaf(const DevicePtr& device, DType dtype, const Shape& shape, BufferPtr buffer) {
  auto node = std::make_shared<const Node>(device, dtype, shape, nodes::Leaf{});
  node->buffer = std::move(buffer);
  return node;
}

NodePtr make_constant(const DevicePtr& device, DType dtype, const Shape& shape, uint32_t bits) {
  return std::make_shared<const Node>(device, dtype, shape, nodes::Constant{bits});
}

NodePtr make_index(const DevicePtr& device, const Shape& shape) {
  return make(device, DType::u32, shape, nodes::Index{});
}

Placed placed(const NodePtr& x) {
  if (const auto* view = x->as<nodes::View>()) return {view->source, view->layout};
  return {x, layout::contiguous(x->shape)};
}

NodePtr make_view(const NodePtr& x, const Layout& view) {
  if (view.size() == 0) return make_constant(x->device, x->dtype, view.shape, 0);
  std::optional<Placed> result;
  {
    std::scoped_lock lock(graph_mutex());
    if (const auto* constant = x->as<nodes::Constant>())
      return make_constant(x->device, x->dtype, view.shape, constant->bits);
    Placed base = placed(x);
    if (auto through = layout::compose(view, base.layout)) result = Placed{base.source, *through};
  }
  // No strides express it: the view is taken of a copy, which lies contiguous.
  if (!result) result = Placed{make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr}), view};
  return make(x->device, x->dtype, view.shape, nodes::View{result->source, result->layout});
}

NodePtr make_elementwise(Op op, DType dtype, const std::array<NodePtr, 3>& args) {
  return make(args[0]->device, dtype, args[0]->shape, nodes::Elementwise{op, args});
}

NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes) {
  layout::ReduceOrder order;
  {
    std::scoped_lock lock(graph_mutex());
    std::vector<Layout> layouts;
    std::unordered_set<const Node*> seen;
    gather_layouts(arg, layout::contiguous(arg->shape), seen, layouts);
    order = layout::reduce_order(arg->shape, layouts, axes);
  }
  return make(arg->device, dtype, without_axes(arg->shape, axes), nodes::Reduce{reduction, arg, order});
}

NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape) {
  return make(a->device, a->dtype, shape, nodes::Matmul{a, b});
}

NodePtr make_assemble(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Assemble assemble) {
  return make(device, dtype, shape, std::move(assemble));
}

std::vector<NodePtr> sources_of(const Node& x) {
  if (x.buffer) return {};
  if (const auto* view = x.as<nodes::View>()) return {view->source};
  if (const auto* reduce = x.as<nodes::Reduce>()) return {reduce->arg};
  if (const auto* matmul = x.as<nodes::Matmul>()) return {matmul->a, matmul->b};
  if (const auto* assemble = x.as<nodes::Assemble>()) return assemble->pieces;
  std::vector<NodePtr> sources;
  if (const auto* elementwise = x.as<nodes::Elementwise>())
    for (const NodePtr& arg : elementwise->args)
      if (arg) sources.push_back(arg);
  return sources;
}

bool is_pending(const Node& x) {
  if (x.buffer || x.as<nodes::Leaf>() || x.as<nodes::Constant>() || x.as<nodes::Index>()) return false;
  if (const auto* view = x.as<nodes::View>()) return is_pending(*view->source);
  return true;
}

}  // namespace eglantine
