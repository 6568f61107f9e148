#include "graph/node.hpp"

#include <algorithm>
#include <cstdlib>

#include "eglantine/error.hpp"
#include "graph/boundaries.hpp"
#include "graph/graph_lock.hpp"
#include "layout/compose_whole.hpp"
#include "layout/layout.hpp"
#include "system/recycled.hpp"

namespace eglantine {

namespace {

/// A step of a training loop makes hundreds, and drops them together.
template <class... Arguments>
NodePtr new_node(Arguments&&... arguments) {
  return std::allocate_shared<const Node>(RecyclingAllocator<Node>(), std::forward<Arguments>(arguments)...);
}

/// Of a node that is in memory itself, or could be.
Dominant contiguous_of(const Shape& shape) { return {shape.elements(), nullptr}; }

/// only_maps: no derivatives.
void add_active(Traces& traces, const Traces& others, bool only_maps = false) {
  for (const TracePtr& trace : others)
    if (trace->active && (trace->maps || !only_maps) && std::find(traces.begin(), traces.end(), trace) == traces.end())
      traces.push_back(trace);
}

Traces traces_of(const nodes::Value& value) {
  Traces traces;
  const auto* view = std::get_if<nodes::View>(&value);
  const Boundary* boundary = view != nullptr ? view->boundary.get() : nullptr;
  if (boundary != nullptr && boundary->own)
    for (const NodePtr& input : boundary->own->inputs) add_active(traces, input->traces);
  if (boundary != nullptr && boundary->trace) add_active(traces, {boundary->trace});
  const bool is_constant = boundary != nullptr && !boundary->trace;
  for_each_source_of(value, [&](const NodePtr& source) { add_active(traces, source->traces, is_constant); });
  return traces;
}

NodePtr make(const DevicePtr& device, DType dtype, const Shape& shape, nodes::Value value, Dominant dominant) {
  if (shape.elements() == 0) return make_constant(device, dtype, shape, 0);
  Traces traces = traces_of(value);
  return new_node(device, dtype, shape, std::move(value), std::move(dominant), Stored{}, std::move(traces));
}
NodePtr make(const DevicePtr& device, DType dtype, const Shape& shape, nodes::Value value) {
  return make(device, dtype, shape, std::move(value), contiguous_of(shape));
}

/// Whether an operand of layout a decides rather than that of b: it reaches further, or as far, and is read.
bool outweighs(const Dominant& a, const Dominant& b) {
  return a.reach > b.reach || (a.reach == b.reach && b.computed && !a.computed);
}

/// The furthest-reaching of the arguments', the first among equals.
template <class Args>
const Dominant& dominant_of(const Args& args) {
  const Dominant* furthest = &args.front()->dominant;
  for (const NodePtr& arg : args)
    if (arg && outweighs(arg->dominant, *furthest)) furthest = &arg->dominant;
  return *furthest;
}

/// Of a view of x. Where no strides express it, x counts as stored row-major.
Dominant dominant_of_view(const NodePtr& x, const Layout& view) {
  if (x->dominant.reach == 0) return {};
  const bool computed = x->dominant.computed;
  if (!x->dominant.layout && view.is_contiguous()) return {view.size(), nullptr, computed};
  Layout at = x->dominant.layout ? layout::compose(view, *x->dominant.layout).value_or(view) : view;
  at.offset = 0;
  const int64_t reach = layout::reach(at).count();
  return {reach, at.is_contiguous() ? nullptr : std::make_shared<const Layout>(std::move(at)), computed};
}

Shape without_axes(const Shape& shape, const Axes& axes) {
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(shape[i]);
  return kept;
}

}  // namespace

NodePtr make_leaf(const DevicePtr& device, const Shape& shape, Stored stored) {
  const DType dtype = dtype_of(stored.storage);
  return new_node(device, dtype, shape, nodes::Leaf{}, contiguous_of(shape), std::move(stored));
}

NodePtr make_constant(const DevicePtr& device, DType dtype, const Shape& shape, uint32_t bits) {
  return new_node(device, dtype, shape, nodes::Constant{bits}, Dominant{});
}

NodePtr make_iota(const DevicePtr& device, const Shape& shape) {
  return make(device, DType::u32, shape, nodes::Iota{}, {shape.elements(), nullptr, true});
}

Placed placed(const NodePtr& x) {
  const auto* view = x->as<nodes::View>();
  if (view != nullptr && !view->boundary) return {view->source, view->layout};
  return {x, layout::contiguous(x->shape)};
}

namespace {

NodePtr view_with(const NodePtr& x, const Layout& view, Dominant dominant) {
  if (view.size() == 0) return make_constant(x->device, x->dtype, view.shape, 0);
  if (x->as<nodes::Constant>()) return make_constant_in(x, view.shape);
  const auto* inner = x->as<nodes::View>();
  const bool is_boundary = inner != nullptr && inner->boundary, is_base = inner == nullptr || is_boundary;
  NodePtr source = is_base ? x : inner->source;
  std::optional<Layout> through = is_base ? layout::compose_whole(view) : layout::compose(view, inner->layout);
  // A derivative's input lies as it does outside.
  if (through && source->as<nodes::View>() && !behind_boundaries({source, *through})) through.reset();
  // No strides express it: the view is taken of a copy, which lies contiguous.
  if (!through) source = make_elementwise(Op::copy, x->dtype, {x, nullptr, nullptr});
  return make(x->device, x->dtype, view.shape, nodes::View{std::move(source), through ? *std::move(through) : view},
              std::move(dominant));
}

}  // namespace

NodePtr make_view(const NodePtr& x, const Layout& view) {
  const GraphLock lock;
  return view_of(x, view);
}

NodePtr make_result_view(const NodePtr& x, const Layout& view) {
  const GraphLock lock;
  return view_with(x, view, contiguous_of(view.shape));
}

NodePtr view_of(const NodePtr& x, const Layout& view) { return view_with(x, view, dominant_of_view(x, view)); }

std::shared_ptr<History> history_of(nodes::Value value, const Traces& traces) {
  std::shared_ptr<History> history(new History{std::move(value), traces});  // apart, as counts outlive it
  for (const TracePtr& trace : traces) {
    if (!trace->active) continue;
    auto& all = trace->histories;
    if (all.size() == all.capacity()) std::erase_if(all, [](const auto& each) { return each.expired(); });
    all.push_back(history);
  }
  return history;
}

std::vector<nodes::Value> end_trace(Trace& trace, const GraphLock&) {
  const auto is_active = [](const TracePtr& each) { return each->active.load(); };
  trace.active = false;
  std::vector<nodes::Value> forgotten;
  for (const std::weak_ptr<History>& each : std::exchange(trace.histories, {}))
    if (const auto history = each.lock(); history && std::ranges::none_of(history->traces, is_active))
      forgotten.push_back(std::exchange(history->value, nodes::Leaf{}));
  return forgotten;
}

nodes::Value Node::forget(const GraphLock&) const {
  static const auto constant = std::make_shared<const Boundary>();
  auto* view = std::get_if<nodes::View>(&value_);
  if (is_traced() || view == nullptr || !view->boundary || !view->boundary->own) return nodes::Leaf{};
  nodes::Value old = *view;
  view->boundary = constant;
  return old;
}

NodePtr make_boundary(const NodePtr& x, Boundary boundary) {
  return make(x->device, x->dtype, x->shape,
              nodes::View{x, layout::contiguous(x->shape), std::make_shared<const Boundary>(std::move(boundary))},
              x->dominant);
}

NodePtr make_elementwise(Op op, DType dtype, const std::array<NodePtr, 3>& args) {
  return make(args[0]->device, dtype, args[0]->shape, nodes::Elementwise{op, args}, dominant_of(args));
}

layout::ReduceOrder reduce_order_of(const Node& arg, const Axes& axes) {
  if (arg.dominant.reach == 0 || !arg.dominant.layout) return layout::reduce_order(arg.shape, {}, axes);
  return layout::reduce_order(arg.shape, {*arg.dominant.layout}, axes);
}

NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const Axes& axes, ReduceOpPtr custom) {
  return make(arg->device, dtype, without_axes(arg->shape, axes),
              nodes::Reduce{reduction, arg, reduce_order_of(*arg, axes), std::move(custom)});
}

NodePtr make_sum_in_any_order(const NodePtr& arg, const Axes& axes) {
  return make_sum_in_any_order(arg, reduce_order_of(*arg, axes));
}

NodePtr make_sum_in_any_order(const NodePtr& arg, const layout::ReduceOrder& order) {
  return make(arg->device, arg->dtype, without_axes(arg->shape, order.reduced),
              nodes::Reduce{Reduction::sum, arg, order, nullptr, true});
}

NodePtr make_reduce(Reduction reduction, DType dtype, const NodePtr& arg, const layout::ReduceOrder& order) {
  return make(arg->device, dtype, without_axes(arg->shape, order.reduced), nodes::Reduce{reduction, arg, order});
}

NodePtr make_matmul(const NodePtr& a, const NodePtr& b, const Shape& shape) {
  return make(a->device, a->dtype, shape, nodes::Matmul{a, b});
}

NodePtr make_contraction(nodes::Contraction contraction) {
  const Shape &a = contraction.a->shape, &b = contraction.b->shape;
  Shape all(a.begin(), a.begin() + contraction.batch + contraction.rows), shape;
  for (int i = contraction.batch; i < contraction.batch + contraction.columns; ++i) all.push_back(b[i]);
  for (int64_t axis : contraction.order) shape.push_back(all[static_cast<int>(axis)]);
  const DevicePtr device = contraction.a->device;
  const DType dtype = contraction.a->dtype;
  return make(device, dtype, shape, std::move(contraction));
}

NodePtr make_placement(const Shape& shape, DType dtype, const DevicePtr& device, nodes::Placement placement) {
  return make(device, dtype, shape, std::move(placement));
}

namespace {

/// Reads x's source instead where x is a remapped tensor, as a view of a view does, and one map can express both.
void pass_through(const Node& x, nodes::Remap& outer) {
  const auto* inner = x.as<nodes::Remap>();
  if (inner == nullptr) return;
  if (inner->fill != outer.fill && !layout::are_total(inner->axes) && !layout::are_total(outer.axes)) return;
  std::vector<layout::AxisMap> axes;
  for (size_t i = 0; i < outer.axes.size(); ++i) {
    const std::optional<layout::AxisMap> both = layout::compose(outer.axes[i], inner->axes[i]);
    if (!both) return;
    axes.push_back(*both);
  }
  const uint32_t fill = layout::are_total(outer.axes) ? inner->fill : outer.fill;
  outer = {inner->source, std::move(axes), fill};
}

}  // namespace

NodePtr make_remap(const NodePtr& x, std::vector<layout::AxisMap> axes, uint32_t fill) {
  Shape shape;
  for (const layout::AxisMap& axis : axes) shape.push_back(axis.length);
  if (!std::all_of(axes.begin(), axes.end(), layout::is_counted))
    throw Error("[make_remap] shaders do not count the axes of " + to_string(shape) +
                ": a mistake of the library's, please report it");
  nodes::Remap remap{x, std::move(axes), fill};
  {
    const GraphLock lock;
    pass_through(*x, remap);
  }
  const bool nowhere = std::any_of(remap.axes.begin(), remap.axes.end(),
                                   [](const layout::AxisMap& axis) { return axis.pieces.empty(); });
  if (nowhere) return make_constant(x->device, x->dtype, shape, remap.fill);
  return make(x->device, x->dtype, shape, std::move(remap));
}

NodePtr make_load_at(nodes::LoadAt load) {
  const NodePtr source = load.source;
  const Shape shape = load.indices.front()->shape;
  return make(source->device, source->dtype, shape, std::move(load));
}

NodePtr make_stencil(nodes::Stencil stencil) {
  const NodePtr source = stencil.source;
  const Shape shape = stencil.at.shape;
  Dominant dominant = dominant_of_view(source, stencil.at);
  if (stencil.factor)
    if (Dominant other = dominant_of_view(stencil.factor, stencil.factor_at); outweighs(other, dominant))
      dominant = std::move(other);
  return make(source->device, source->dtype, shape, std::move(stencil), std::move(dominant));
}

NodePtr make_constant_in(const NodePtr& constant, const Shape& shape) {
  if (!PlanParts::are_made())
    return make_constant(constant->device, constant->dtype, shape, constant->as<nodes::Constant>()->bits);
  const std::vector<int64_t> nowhere(static_cast<size_t>(shape.rank()), 0);
  return make(constant->device, constant->dtype, shape, nodes::View{constant, Layout{shape, nowhere, 0}}, Dominant{});
}

NodePtr make_composite(DType dtype, const Shape& shape, nodes::Composite composite) {
  const DevicePtr device = composite.args.front()->device;
  return make(device, dtype, shape, std::move(composite));
}

NodePtr make_custom(ElementwiseOpPtr op, std::vector<NodePtr> args) {
  const NodePtr first = args[0];
  Dominant dominant = dominant_of(args);
  return make(first->device, DType::f32, first->shape, nodes::Custom{std::move(op), std::move(args)},
              std::move(dominant));
}

NodePtr make_scan(nodes::Scan scan) {
  const NodePtr arg = scan.arg;
  return make(arg->device, arg->dtype, arg->shape, std::move(scan));
}

NodePtr make_sort(nodes::Sort sort, const Shape& shape, DType dtype) {
  const DevicePtr device = sort.keys->device;
  return make(device, dtype, shape, std::move(sort));
}

NodePtr make_second_output(const NodePtr& first, DType dtype) {
  return make(first->device, dtype, first->shape, nodes::SecondOutput{first});
}

NodePtr make_attention(nodes::Attention attention) {
  Shape shape = attention.q->shape;
  const int rank = shape.rank();
  shape[rank - 1] = attention.v->shape[rank - 1];
  if (attention.rows_first) std::swap(shape[rank - 2], shape[rank - 3]);
  const DevicePtr device = attention.q->device;
  return make(device, DType::f32, shape, std::move(attention));
}

NodePtr make_logsumexp(const NodePtr& attention, const Shape& rows) {
  return make(attention->device, DType::f32, rows, nodes::SecondOutput{attention});
}

NodePtr make_attention_gradient(nodes::AttentionGradient gradient) {
  const bool of_keys = gradient.together > 0 && !gradient.all;
  Shape shape = gradient.q->shape;
  const int rank = shape.rank();
  if (of_keys) shape[rank - 3] /= gradient.together;
  if (of_keys) shape[rank - 2] = gradient.k->shape[rank - 2];
  if (gradient.rows_first) std::swap(shape[rank - 2], shape[rank - 3]);
  if (gradient.joined) shape.insert(rank - 2, 3);
  const DevicePtr device = gradient.q->device;
  return make(device, DType::f32, shape, std::move(gradient));
}

NodePtr make_value_gradient(const NodePtr& first) {
  const auto& gradient = *first->as<nodes::AttentionGradient>();
  Shape shape = gradient.q->shape;
  const int rank = shape.rank();
  const int64_t results = gradient.v->shape[rank - 1];
  shape[rank - 3] /= gradient.together;
  shape[rank - 2] = gradient.k->shape[rank - 2];
  if (gradient.all)
    shape = {shape.elements() / shape[rank - 1] * (shape[rank - 1] + results)};
  else
    shape[rank - 1] = results;
  return make(first->device, DType::f32, shape, nodes::SecondOutput{first});
}

NodePtr make_gather(nodes::Gather gather) {
  const NodePtr source = gather.source;
  const Shape shape = gather.index->shape;
  const DType dtype = gather.lookup == Lookup::element ? source->dtype : DType::i32;
  return make(source->device, dtype, shape, std::move(gather));
}

NodePtr make_scatter(nodes::Scatter scatter, const Shape& shape) {
  const NodePtr updates = scatter.updates;
  return make(updates->device, updates->dtype, shape, std::move(scatter));
}

NodePtr make_tiles(nodes::Tiles tiles, const Shape& tile_count) {
  const NodePtr arg = tiles.arg;
  return make(arg->device, arg->dtype, tile_count, std::move(tiles));
}

std::vector<NodePtr> sources_of(const Node& x) {
  std::vector<NodePtr> sources;
  for_each_source(x, [&](const NodePtr& source) { sources.push_back(source); });
  return sources;
}

bool is_widening(const Node& x) {
  const auto* cast = x.as<nodes::Elementwise>();
  if (cast == nullptr || cast->op != Op::cast) return false;
  const DType from = cast->args[0]->dtype;
  return is_narrow(from) && computed_type(from) == x.dtype;
}

namespace {

/// Of rows along `axes`: from one element of a row to the next, and from one row to the next; and lengths of these
/// axes.
struct RowStrides {
  int64_t along = 1, between = 0, length = 1, rows = 1;
};

RowStrides row_strides(const Node& x, const Axes& axes, bool as_stored) {
  const Layout at = as_stored || !x.dominant.layout ? layout::contiguous(x.shape) : *x.dominant.layout;
  RowStrides strides;
  for (int i = 0; i < at.shape.rank(); ++i) {
    if (at.shape[i] == 1) continue;
    const bool in_row = std::find(axes.begin(), axes.end(), i) != axes.end();
    (in_row ? strides.along : strides.between) = std::abs(at.strides[static_cast<size_t>(i)]);
    (in_row ? strides.length : strides.rows) = at.shape[i];
  }
  return strides;
}

}  // namespace

bool is_strided(const Node& x, const Axes& axes, bool as_stored) {
  const RowStrides strides = row_strides(x, axes, as_stored);
  return strides.along != 1 && strides.between == 1;
}

Axes kept_by_distance(const Node& x, const Axes& axes) {
  constexpr int64_t fewest_neighbours = 8;
  const Layout at = x.dominant.layout ? *x.dominant.layout : layout::contiguous(x.shape);
  const auto stride = [&](int64_t axis) { return std::abs(at.strides[static_cast<size_t>(axis)]); };
  const auto makes_lines = [&](int64_t axis) {
    return stride(axis) == 1 && at.shape[static_cast<int>(axis)] >= fewest_neighbours;
  };
  Axes kept;
  for (int i = 0; i < x.shape.rank(); ++i)
    if (!axes.contains(i)) kept.push_back(i);
  if (std::none_of(kept.begin(), kept.end(), makes_lines)) return {};
  std::stable_sort(kept.begin(), kept.end(), [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
  return kept;
}

bool lies_across(const Node& x, const Axes& axes) {
  constexpr int64_t sector = 8;
  const RowStrides read = row_strides(x, axes, false), stored = row_strides(x, axes, true);
  const bool turned = (stored.between == 1 && read.along == 1 && read.between >= sector) ||
                      (stored.along == 1 && read.between == 1 && read.along >= sector);
  return turned && read.length >= sector && read.rows >= sector;
}

bool keeps_order(const nodes::View& view) {
  return view.layout.offset == 0 && view.layout.is_contiguous() && view.layout.size() == view.source->shape.elements();
}

bool is_pending(const Node& x) {
  if (x.is_computed() || x.as<nodes::Leaf>() || x.as<nodes::Constant>() || x.as<nodes::Iota>()) return false;
  if (const auto* view = x.as<nodes::View>()) return is_pending(*view->source);
  return true;
}

}  // namespace eglantine
