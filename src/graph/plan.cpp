#include "graph/plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "eglantine/error.hpp"
#include "graph/expression.hpp"
#include "graph/ownership.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// Element-wise nodes that melt into one kernel before the next is cut off, and instructions (scalars and loads
/// included) that one may hold: past this, compiling it costs more than reading an intermediate once more.
constexpr size_t max_melted = 48;
constexpr size_t max_kernel_instructions = 192;

/// Thrown inside the planner alone: this kernel reads too much, so this node must be kept; plan again.
struct Cut {
  const Node* keep;
};

/// The pending element-wise nodes below x down to what is kept, sources first, x itself left out.
std::vector<const Node*> melted_below(const Node& x, const std::unordered_set<const Node*>& kept) {
  std::vector<const Node*> found;
  std::unordered_set<const Node*> seen;
  const std::function<void(const Node&)> walk = [&](const Node& node) {
    for (const NodePtr& source : sources_of(node)) {
      if (!is_pending(*source) || kept.count(source.get()) || !seen.insert(source.get()).second) continue;
      walk(*source);
      if (source->is_elementwise()) found.push_back(source.get());
    }
  };
  walk(x);
  return found;
}

/// The nodes to keep so that no kernel melts more than max_melted.
std::unordered_set<const Node*> long_melts(const Ownership& owners) {
  std::unordered_set<const Node*> cut, kept = owners.kept;
  std::unordered_map<const Node*, size_t> size;  // bounds the melted nodes below: shared ones count several times
  for (const NodePtr& node : owners.order) {
    size_t& below = size[node.get()];
    below = node->is_elementwise() ? 1 : 0;
    for (const NodePtr& source : sources_of(*node))
      if (is_pending(*source) && !kept.count(source.get())) below += size[source.get()];
    if (below <= max_melted || kept.count(node.get())) continue;
    below = melted_below(*node, kept).size() + 1;
    if (below <= max_melted || !node->is_elementwise()) continue;
    cut.insert(node.get());
    kept.insert(node.get());
  }
  return cut;
}

class Planner {
 public:
  Planner(const Ownership& owners, int64_t max_bindings, const std::function<BufferPtr(int64_t)>& allocate)
      : owners_(owners), max_bindings_(max_bindings), allocate_(allocate) {}

  Plan run() {
    for (const NodePtr& node : owners_.order)
      if (owners_.kept.count(node.get())) keep(*node);
    for (const NodePtr& node : owners_.order)
      if (!plan_.produced.count(node.get()) && !node->as<nodes::View>()) plan_.fused.push_back(node.get());
    return std::move(plan_);
  }

 private:
  using Done = std::unordered_multimap<const Node*, std::pair<Layout, int>>;

  /// An expression being written, and the node whose value its consumer gets from the kernel's core.
  struct Writing {
    ExpressionBuilder builder;
    const Node* self;
    const Node* core;
    Done done;
  };

  const BufferPtr& keep(const Node& x) {
    if (const auto found = plan_.produced.find(&x); found != plan_.produced.end()) return found->second;
    const auto core = owners_.core_of.find(&x);
    core == owners_.core_of.end() ? compute(x, nullptr) : compute(*core->second, &x);
    return plan_.produced.at(&x);
  }

  /// The kernel of x, and of the consumer that it takes in.
  void compute(const Node& x, const Node* consumer) {
    if (x.as<nodes::Reduce>()) return reduce(x, consumer);
    if (x.as<nodes::Matmul>()) return matmul(x, consumer);
    if (x.as<nodes::Scan>()) return scan(x, consumer);
    if (x.as<nodes::Sort>()) return sort(x, consumer);
    if (x.as<nodes::Row>()) return row(x, consumer);
    if (x.as<nodes::Gather>()) return gather(x, consumer);
    if (x.as<nodes::Tiles>()) return tiles(x, consumer);
    if (x.as<nodes::Scatter>()) return scatter(x);
    if (x.as<nodes::Assemble>()) return assemble(x);
    if (const auto* second = x.as<nodes::Second>()) return take_second(x, *second->sort);
    map(x);
  }

  BufferPtr produce(const Node& x) { return plan_.produced[&x] = allocate_(x.shape.elements() * size_of(x.dtype)); }

  Strided output(const Node& x) { return {produce(x), x.dtype, layout::contiguous(x.shape)}; }

  template <class K>
  void emit(K kernel, const Node& x) {
    collapse(kernel);
    Kernel whole = std::move(kernel);
    if (bindings_of(whole) > max_bindings_) throw Cut{what_to_keep(x)};
    plan_.kernels.push_back(std::move(whole));
  }

  void map(const Node& x) {
    Expr value = write(x, x.shape, layout::contiguous(x.shape), nullptr);
    emit(MapKernel{std::move(value), output(x)}, x);
  }

  /// The expression of x alone (its own kernel's), or of what a core's value becomes.
  Expr write(const Node& x, const Shape& domain, const Layout& at, const Node* core) {
    Writing writing{ExpressionBuilder(domain), &x, core, {}};
    lower(writing, x, at);
    if (writing.builder.size() > max_kernel_instructions) throw Cut{what_to_keep(x)};
    return writing.builder.take();
  }

  Expr consumer_of(const Node& core, const Node* consumer) {
    if (consumer != nullptr) return write(*consumer, consumer->shape, layout::contiguous(consumer->shape), &core);
    ExpressionBuilder builder(core.shape);
    builder.core(core.dtype);
    return builder.take();
  }

  Expr consumer_at(const Node& core, const Node* consumer, const Layout& at) {
    if (consumer != nullptr) return write(*consumer, at.shape, at, &core);
    ExpressionBuilder builder(at.shape);
    builder.core(core.dtype);
    return builder.take();
  }

  /// x's axes with one moved to the end.
  static Layout with_last(const Shape& shape, int axis) {
    Axes order;
    for (int i = 0; i < shape.rank(); ++i)
      if (i != axis) order.push_back(i);
    order.push_back(axis);
    return layout::permute(layout::contiguous(shape), order);
  }

  void scan(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Scan>();
    const int last = x.shape.rank() - 1;
    Layout at = with_last(x.shape, what.axis);
    if (what.reverse) at = layout::flip(at, last);
    const Node& result = consumer != nullptr ? *consumer : x;
    ScanKernel kernel{write(*what.arg, at.shape, at, nullptr),
                      last,
                      what.reduction,
                      what.exclusive,
                      consumer_at(x, consumer, at),
                      {},
                      what.own};
    kernel.out = {produce(result), result.dtype, at};
    emit(std::move(kernel), result);
  }

  void row(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Row>();
    const Shape& shape = what.arg->shape;
    Axes order;
    for (int i = 0; i < shape.rank(); ++i)
      if (std::find(what.axes.begin(), what.axes.end(), i) == what.axes.end()) order.push_back(i);
    const int kept = order.rank();
    for (int64_t axis : what.axes) order.push_back(axis);
    const Layout at = layout::permute(layout::contiguous(shape), order);
    Layout to = at;  // where an element's result is: its row's, where the op reduces
    if (reduces(what.op)) {
      to.strides = layout::contiguous(x.shape).strides;
      while (to.strides.size() < at.strides.size()) to.strides.push_back(0);
    }
    const Node& result = consumer != nullptr ? *consumer : x;
    RowKernel kernel{write(*what.arg, at.shape, at, nullptr), kept, what.op, consumer_at(x, consumer, to), {}};
    kernel.out = {produce(result), result.dtype, to};
    emit(std::move(kernel), result);
  }

  void sort(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Sort>();
    const Layout at = with_last(what.keys->shape, what.axis), out = with_last(x.shape, what.axis);
    const Node& result = consumer != nullptr ? *consumer : x;
    SortKernel kernel;
    kernel.keys = write(*what.keys, at.shape, at, nullptr);
    if (what.payload) kernel.payload = write(*what.payload, at.shape, at, nullptr);
    kernel.kept_rank = at.shape.rank() - 1;
    kernel.descending = what.descending;
    kernel.keep = x.shape[what.axis];
    kernel.consumer = consumer_at(x, consumer, out);
    kernel.out = {produce(result), result.dtype, out};
    kernel.places = what.wanted == nodes::Sorted::places;
    if (what.wanted == nodes::Sorted::both) {
      const DType dtype = what.payload ? what.payload->dtype : DType::i32;
      kernel.second = {allocate_(x.shape.elements() * size_of(dtype)), dtype, out};
      plan_.seconds[&x] = kernel.second.buffer;
    }
    emit(std::move(kernel), result);
  }

  void take_second(const Node& x, const Node& sort) {
    if (!sort.buffer) keep(sort);
    plan_.produced[&x] = sort.second ? sort.second : plan_.seconds.at(&sort);
  }

  /// The layout over a domain whose axis i is axis axes[i] of x, or none of them (-1).
  static Layout along(const Layout& x, const IntList& axes, const Shape& domain) {
    Layout result{domain, {}, x.offset};
    for (int64_t axis : axes) result.strides.push_back(axis < 0 ? 0 : x.strides[static_cast<size_t>(axis)]);
    return result;
  }

  void gather(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Gather>();
    const Layout at = layout::contiguous(x.shape);
    const Strided source = operand(*what.source);
    const Node& result = consumer != nullptr ? *consumer : x;
    GatherKernel kernel;
    kernel.index = write(*what.index, at.shape, at, nullptr);
    kernel.source = {source.buffer, source.dtype, along(source.layout, what.axes, x.shape)};
    kernel.length = what.source->shape[what.axis];
    kernel.stride = source.layout.strides[static_cast<size_t>(what.axis)];
    kernel.consumer = consumer_at(x, consumer, at);
    kernel.out = {produce(result), result.dtype, at};
    kernel.check = what.check;
    emit(std::move(kernel), result);
  }

  void scatter(const Node& x) {
    const auto& what = *x.as<nodes::Scatter>();
    const Layout target = layout::contiguous(x.shape), at = layout::contiguous(what.updates->shape);
    const Strided out = output(x);
    if (what.base) {
      Expr base = write(*what.base, x.shape, target, nullptr);
      emit(MapKernel{std::move(base), out}, *what.base);
    }
    ScatterKernel kernel;
    kernel.index = write(*what.index, at.shape, at, nullptr);
    kernel.updates = write(*what.updates, at.shape, at, nullptr);
    kernel.target = along(target, what.axes, at.shape);
    kernel.length = x.shape[what.axis];
    kernel.stride = target.strides[static_cast<size_t>(what.axis)];
    kernel.add = what.add;
    kernel.distinct = what.distinct;
    kernel.partial = what.partial;
    kernel.out = out;
    kernel.check = what.check;
    emit(std::move(kernel), x);
  }

  void tiles(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Tiles>();
    const Layout at = layout::contiguous(what.arg->shape), grid = layout::contiguous(x.shape);
    const Node& result = consumer != nullptr ? *consumer : x;
    TileKernel kernel{write(*what.arg, at.shape, at, nullptr), what.tile, what.reduction,
                      consumer_at(x, consumer, grid),          {},        what.own};
    kernel.out = {produce(result), result.dtype, grid};
    emit(std::move(kernel), result);
  }

  void reduce(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Reduce>();
    const Shape& shape = what.arg->shape;
    Axes order;
    for (int i = 0; i < shape.rank(); ++i)
      if (std::find(what.order.reduced.begin(), what.order.reduced.end(), i) == what.order.reduced.end())
        order.push_back(i);
    const int kept = order.rank();
    for (int64_t axis : what.order.reduced) order.push_back(axis);
    const Layout at = layout::permute(layout::contiguous(shape), order);
    ReduceKernel kernel{write(*what.arg, at.shape, at, nullptr),
                        kept,
                        what.reduction,
                        what.order.tree,
                        consumer_of(x, consumer),
                        {},
                        what.own};
    const Node& result = consumer != nullptr ? *consumer : x;
    kernel.out = output(result);
    emit(std::move(kernel), result);
  }

  void matmul(const Node& x, const Node* consumer) {
    const auto& what = *x.as<nodes::Matmul>();
    MatmulKernel kernel;
    const int batch = x.shape.rank() - 2;
    for (int i = 0; i < batch; ++i) kernel.batch.push_back(x.shape[i]);
    kernel.m = x.shape[batch];
    kernel.n = x.shape[batch + 1];
    kernel.k = what.a->shape[batch + 1];
    kernel.a = operand(*what.a);
    kernel.b = operand(*what.b);
    kernel.consumer = consumer_of(x, consumer);
    const Node& result = consumer != nullptr ? *consumer : x;
    kernel.out = output(result);
    emit(std::move(kernel), result);
  }

  /// A product's operand where it lies in memory; what is in no memory is computed into some.
  Strided operand(const Node& x) {
    if (const BufferPtr buffer = buffer_of(x)) return {buffer, x.dtype, layout::contiguous(x.shape)};
    if (const auto* view = x.as<nodes::View>())
      if (const BufferPtr buffer = buffer_of(*view->source)) return {buffer, x.dtype, view->layout};
    return {keep(x), x.dtype, layout::contiguous(x.shape)};
  }

  void assemble(const Node& x) {
    const auto& what = *x.as<nodes::Assemble>();
    const Strided out = output(x);
    if (what.fill) {
      ExpressionBuilder fill(x.shape);
      fill.parameter(x.dtype, *what.fill);
      emit(MapKernel{fill.take(), out}, x);
    }
    for (size_t i = 0; i < what.pieces.size(); ++i) {
      const Node& piece = *what.pieces[i];
      if (piece.shape.elements() == 0) continue;
      Expr value = write(piece, piece.shape, layout::contiguous(piece.shape), nullptr);
      emit(MapKernel{std::move(value), {out.buffer, x.dtype, what.regions[i]}}, piece);
    }
  }

  BufferPtr buffer_of(const Node& x) const {
    if (x.buffer) return x.buffer;
    const auto found = plan_.produced.find(&x);
    return found == plan_.produced.end() ? nullptr : found->second;
  }

  /// Writes x's value at the positions `at` gives for the domain's coordinates; returns its instruction.
  int lower(Writing& out, const Node& x, const Layout& at) {
    const auto [first, last] = out.done.equal_range(&x);
    for (auto known = first; known != last; ++known)
      if (layout::same(known->second.first, at)) return known->second.second;
    const int value = lower_new(out, x, at);
    out.done.emplace(&x, std::pair(at, value));
    return value;
  }

  int lower_new(Writing& out, const Node& x, const Layout& at) {
    if (&x == out.core) return out.builder.core(x.dtype);
    if (const BufferPtr buffer = buffer_of(x)) return out.builder.load(buffer, x.dtype, at);
    if (const auto* constant = x.as<nodes::Constant>()) return out.builder.parameter(x.dtype, constant->bits);
    if (x.as<nodes::Index>()) return out.builder.index(at);
    if (const auto* view = x.as<nodes::View>()) return lower_view(out, x, *view, at);
    if (!x.is_elementwise() || (owners_.kept.count(&x) && &x != out.self))
      return out.builder.load(keep(x), x.dtype, at);
    if (const auto* own = x.as<nodes::Own>()) {
      std::vector<int32_t> args;
      for (const NodePtr& arg : own->args) args.push_back(lower(out, *arg, at));
      return out.builder.own(own->op, std::move(args));
    }
    const auto* elementwise = x.as<nodes::Elementwise>();
    std::array<int32_t, 3> args{-1, -1, -1};
    for (size_t i = 0; i < 3; ++i)
      if (elementwise->args[i]) args[i] = lower(out, *elementwise->args[i], at);
    return out.builder.operation(elementwise->op, x.dtype, args);
  }

  int lower_view(Writing& out, const Node& x, const nodes::View& view, const Layout& at) {
    if (const std::optional<Layout> through = layout::compose(at, view.layout))
      return lower(out, *view.source, *through);
    return out.builder.load(keep(x), x.dtype, at);
  }

  /// What to keep when x's kernel reads too much: of the element-wise nodes melted into it, the one with half of them
  /// below. Where nothing melted in, the reduction or product that it takes in.
  const Node* what_to_keep(const Node& x) const {
    const std::vector<const Node*> inside = melted_below(x, owners_.kept);
    if (!inside.empty()) return inside[inside.size() / 2];
    const auto core = owners_.core_of.find(&x);
    if (core == owners_.core_of.end())
      throw DeviceError("[eval] this device binds too few storage buffers for a single operation");
    return core->second;
  }

  const Ownership& owners_;
  int64_t max_bindings_;
  const std::function<BufferPtr(int64_t)>& allocate_;
  Plan plan_;
};

}  // namespace

Plan plan(const std::vector<NodePtr>& roots, int64_t max_bindings, const std::function<BufferPtr(int64_t)>& allocate) {
  if (roots.size() == 1 && stands_alone(*roots.front())) {
    Ownership owners;
    owners.order = roots;
    owners.kept.insert(roots.front().get());
    return Planner(owners, max_bindings, allocate).run();
  }
  Ownership owners = assign_owners(roots, {});
  std::unordered_set<const Node*> forced = long_melts(owners);
  if (!forced.empty()) owners = assign_owners(roots, forced);
  while (true) {
    try {
      return Planner(owners, max_bindings, allocate).run();
    } catch (const Cut& cut) {
      forced.insert(cut.keep);
      owners = assign_owners(roots, forced);
    }
  }
}

}  // namespace eglantine
