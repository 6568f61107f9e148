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
    if (stands_alone(*node)) return node;
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
  if (!x->is_elementwise()) {
    if (x->as<nodes::Constant>() == nullptr && x->as<nodes::Index>() == nullptr) out.push_back(at);
    return;
  }
  // A node met again through another layout would add little: each counts once, which keeps the walk linear.
  if (!seen.insert(x.get()).second) return;
  for (const NodePtr& arg : sources_of(*x)) gather_layouts(arg, at, seen, out);
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

NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes, ReduceOpPtr own) {
  layout::ReduceOrder order;
  {
    std::scoped_lock lock(graph_mutex());
    std::vector<Layout> layouts;
    std::unordered_set<const Node*> seen;
    gather_layouts(arg, layout::contiguous(arg->shape), seen, layouts);
    order = layout::reduce_order(arg->shape, layouts, axes);
  }
  return make(arg->device, dtype, without_axes(arg->shape, axes), nodes::Reduce{reduction, arg, order, std::move(own)});
}

NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape) {
  return make(a->device, a->dtype, shape, nodes::Matmul{a, b});
}

NodePtr make_assemble(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Assemble assemble) {
  return make(device, dtype, shape, std::move(assemble));
}

NodePtr make_own(ElementwiseOpPtr op, std::vector<NodePtr> args) {
  const NodePtr first = args[0];
  return make(first->device, DType::f32, first->shape, nodes::Own{std::move(op), std::move(args)});
}

NodePtr make_scan(nodes::Scan scan) {
  const NodePtr arg = scan.arg;
  return make(arg->device, arg->dtype, arg->shape, std::move(scan));
}

NodePtr make_sort(nodes::Sort sort, const Shape& shape, DType dtype) {
  const DevicePtr device = sort.keys->device;
  return make(device, dtype, shape, std::move(sort));
}

NodePtr make_second(const NodePtr& sort, DType dtype) {
  return make(sort->device, dtype, sort->shape, nodes::Second{sort});
}

NodePtr make_gather(nodes::Gather gather) {
  const NodePtr source = gather.source;
  const Shape shape = gather.index->shape;
  return make(source->device, source->dtype, shape, std::move(gather));
}

NodePtr make_scatter(nodes::Scatter scatter, const Shape& shape) {
  const NodePtr updates = scatter.updates;
  return make(updates->device, updates->dtype, shape, std::move(scatter));
}

NodePtr make_tiles(nodes::Tiles tiles, const Shape& tile_count) {
  const NodePtr arg = tiles.arg;
  return make(arg->device, arg->dtype, tile_count, std::move(tiles));
}

NodePtr make_row(RowOp op, const NodePtr& arg, const Axes& axes) {
  Shape shape;
  for (int i = 0; i < arg->shape.rank(); ++i)
    if (!reduces(op) || std::find(axes.begin(), axes.end(), i) == axes.end()) shape.push_back(arg->shape[i]);
  return make(arg->device, arg->dtype, shape, nodes::Row{op, arg, axes});
}

std::vector<NodePtr> sources_of(const Node& x) {
  if (x.buffer) return {};
  if (const auto* scan = x.as<nodes::Scan>()) return {scan->arg};
  if (const auto* row = x.as<nodes::Row>()) return {row->arg};
  if (const auto* second = x.as<nodes::Second>()) return {second->sort};
  if (const auto* gather = x.as<nodes::Gather>()) return {gather->source, gather->index};
  if (const auto* scatter = x.as<nodes::Scatter>())
    return scatter->base ? std::vector{scatter->base, scatter->index, scatter->updates}
                         : std::vector{scatter->index, scatter->updates};
  if (const auto* tiles = x.as<nodes::Tiles>()) return {tiles->arg};
  if (const auto* own = x.as<nodes::Own>()) return own->args;
  if (const auto* sort = x.as<nodes::Sort>())
    return sort->payload ? std::vector{sort->keys, sort->payload} : std::vector{sort->keys};
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

bool stands_alone(const Node& x) {
  const auto* elementwise = x.as<nodes::Elementwise>();
  return elementwise != nullptr && std::none_of(elementwise->args.begin(), elementwise->args.end(),
                                                [](const NodePtr& arg) { return arg && is_pending(*arg); });
}

}  // namespace eglantine
