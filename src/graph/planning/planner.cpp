#include "graph/planning/planner.hpp"

#include <algorithm>
#include <optional>

#include "eglantine/error.hpp"
#include "graph/kernel/pairwise.hpp"
#include "graph/op/op_info.hpp"
#include "graph/planning/chain_nodes.hpp"
#include "graph/planning/ownership/kernel_graph.hpp"
#include "graph/planning/recomputation/fusion.hpp"

namespace eglantine {

std::optional<Plan> Planner::run() {
  for (const Node* kernel : owners_.kernels) {
    if (const auto rows = owners_.rows.find(kernel); rows != owners_.rows.end()) {
      row(*kernel, rows->second);
      if (too_large_ != nullptr) return std::nullopt;
      continue;
    }
    const auto first = owners_.accumulator_of.find(kernel);
    first == owners_.accumulator_of.end() ? compute(*kernel, nullptr) : compute(*first->second, kernel);
    if (too_large_ != nullptr) return std::nullopt;
  }
  const std::unordered_set<const Node*> of_chains = nodes_of_chains(owners_);
  for (const NodePtr& node : owners_.order)
    if (!plan_.produced.count(node.get()) && !node->as<nodes::View>() && !of_chains.count(node.get()))
      plan_.fused.push_back(node.get());
  std::erase_if(plan_.produced, [&](const auto& result) { return owners_.passing.count(result.first) != 0; });
  return std::move(plan_);
}

const Stored& Planner::in_memory(const Node& x) {
  if (const auto found = plan_.produced.find(&x); found != plan_.produced.end()) return found->second;
  if (owners_.materialized.count(&x)) fail_cycle();
  compute(x, nullptr);
  return plan_.produced.at(&x);
}

void Planner::compute(const Node& x, const Node* epilogue) {
  if (x.as<nodes::Reduce>()) return reduce(x, epilogue);
  if (x.as<nodes::Matmul>()) return matmul(x, epilogue);
  if (x.as<nodes::Contraction>()) return contraction(x, epilogue);
  if (x.as<nodes::Attention>()) return attention(x, epilogue);
  if (x.as<nodes::AttentionGradient>()) return attention_gradient(x);
  if (x.as<nodes::Scan>()) return scan(x, epilogue);
  if (x.as<nodes::Sort>()) return sort(x, epilogue);
  if (x.as<nodes::Gather>()) return gather(x, epilogue);
  if (x.as<nodes::Tiles>()) return tiles(x, epilogue);
  if (x.as<nodes::Scatter>()) return scatter(x);
  if (x.as<nodes::Placement>()) return placement(x);
  if (const auto* second = x.as<nodes::SecondOutput>()) return take_second(x, *second->first);
  map(x);
}

bool Planner::is_too_long(const ExpressionBuilder& x) {
  if (x.size() <= max_kernel_instructions) return false;
  const auto loads = std::ranges::count(x.expr().code, Op::load_at, &Instruction::op);
  return x.size() > max_kernel_instructions + 2 * more_for_loads(static_cast<size_t>(loads));
}

Expr Planner::write(const Node& x, const Layout& at, const Node* self, const Node* accumulator) {
  Writing writing{ExpressionBuilder(at.shape), self, accumulator, {}};
  lower_beside(writing, at);
  writing.builder.end_with(lower(writing, x, at));
  if (is_too_long(writing.builder)) split(writing, x);
  return writing.builder.take();
}

Expr Planner::epilogue_of(const Node& accumulator, const Node* epilogue) {
  return epilogue_at(accumulator, epilogue,
                     layout::contiguous(epilogue != nullptr ? epilogue->shape : accumulator.shape));
}

Expr Planner::epilogue_at(const Node& accumulator, const Node* epilogue, const Layout& at) {
  if (epilogue != nullptr) return write(*epilogue, at, epilogue, &accumulator);
  ExpressionBuilder builder(at.shape);
  builder.accumulator(computed_type(accumulator.dtype));
  return builder.take();
}

Strided Planner::operand(const Node& x) {
  const Node* at = &x;
  Layout layout = layout::contiguous(x.shape);
  for (;;) {
    if (const Stored* there = stored_of(*at)) return at_layout(*there, layout);
    const auto* view = at->as<nodes::View>();
    const std::optional<Layout> through = view != nullptr ? layout::compose(layout, view->layout) : layout;
    if (!through || (view == nullptr && !is_widening(*at))) break;
    layout = *through;
    at = view != nullptr ? view->source.get() : at->as<nodes::Elementwise>()->args[0].get();
  }
  return at_layout(in_memory(x), layout::contiguous(x.shape));
}

const Stored* Planner::stored_of(const Node& x) const {
  if (x.is_computed()) return &x.stored();
  const auto found = plan_.produced.find(&x);
  return found == plan_.produced.end() ? nullptr : &found->second;
}

void Planner::lower_beside(Writing& out, const Layout& at) {
  if (const auto beside = owners_.beside.find(out.self); beside != owners_.beside.end())
    for (const Node* other : beside->second) lower(out, *other, at);
}

int Planner::lower(Writing& out, const Node& x, const Layout& at) {
  const auto [first, last] = out.done.equal_range(&x);
  for (auto known = first; known != last; ++known)
    if (known->second.rounds == out.rounds && layout::same(known->second.at, at)) return known->second.value;
  // Through views, a few nodes can stand for exponentially many reads: what is too large already is written no further.
  if (is_too_long(out.builder)) return 0;
  const int value = lower_new(out, x, at);
  out.done.emplace(&x, Written{at, value, out.rounds});
  return value;
}

int Planner::lower_new(Writing& out, const Node& x, const Layout& at) {
  if (&x == out.accumulator) return stored(out, x, at, out.builder.accumulator(computed_type(x.dtype)));
  if (out.rows != nullptr && out.rows->folds.folds.count(&x) != 0) return lower_fold(out, x, at);
  if (out.rows != nullptr && out.rows->folds.gathered == &x) return stored(out, x, at, lower_gather(out, x, at));
  if (is_stored(out, x)) return stored(out, x, at, lower_elementwise(out, x, at));
  if (const Stored* there = stored_of(x)) return load(out, *there, at);
  if (const auto* constant = x.as<nodes::Constant>())
    return out.builder.parameter(computed_type(x.dtype), parameter_of(x, *constant));
  if (x.as<nodes::Iota>()) return out.frame != nullptr ? out.frame->iota(out.builder, at) : out.builder.iota(at);
  if (const auto* view = x.as<nodes::View>()) return lower_view(out, x, *view, at);
  if (owners_.materialized.count(&x) && &x != out.self) return load(out, in_memory(x), at);
  if (const auto* remap = x.as<nodes::Remap>()) return lower_remap(out, x, *remap, at);
  if (const auto* indexed = x.as<nodes::LoadAt>()) return lower_load_at(out, x, *indexed, at);
  if (owners_.short_sums.count(&x) != 0) return lower_short_sum(out, x, at);
  return x.is_elementwise() ? lower_elementwise(out, x, at) : load(out, in_memory(x), at);
}

/// The square that a short sum adds, where an fma may add it: no kernel stores it, and a function that rounds as its
/// device does is applied to the sum, so that its bits are no device's. Else null. Of other products a sum that is 0
/// could become negative.
const nodes::Elementwise* Planner::square_in(const Writing& out, const Node& x) const {
  const auto* product = x.as<nodes::Elementwise>();
  if (!out.rounds || product == nullptr || x.dtype != DType::f32) return nullptr;
  if (!is_pending(x) || owners_.materialized.count(&x) != 0) return nullptr;
  const bool squares = product->op == Op::square || (product->op == Op::mul && product->args[0] == product->args[1]);
  return squares ? product : nullptr;
}

/// Neighbours by twos, which is the order of both trees for so few elements; squares each to those before.
int Planner::lower_short_sum(Writing& out, const Node& x, const Layout& at) {
  const auto& reduce = *x.as<nodes::Reduce>();
  const nodes::Elementwise* square = square_in(out, *reduce.arg);
  const Layout elements = layout::contiguous(reduce.arg->shape);
  const int axis = static_cast<int>(reduce.order.reduced[0]);
  std::vector<int> sums;
  for (int64_t i = 0; i < elements.shape[axis]; ++i) {
    const auto through = layout::compose(at, layout::squeeze(layout::slice(elements, axis, i, 1, 1), axis));
    if (!through) return materialize_first(x);
    if (square != nullptr && i > 0)
      sums.back() = plus_square(out, *square, *through, sums.back());
    else
      sums.push_back(lower(out, *reduce.arg, *through));
  }
  return pairwise(out.builder, Op::add, x.dtype, std::move(sums));
}

int Planner::plus_square(Writing& out, const nodes::Elementwise& square, const Layout& at, int sum) {
  const int root = lower(out, *square.args[0], at);
  return out.builder.operation(Op::multiply_add, DType::f32, {root, root, sum});
}

/// Whether the arguments of an operation are only read through functions that round, or that those are applied to: what
/// decides (a comparison, a floor, a larger of two) does not round.
bool Planner::rounds_below(const Writing& out, const nodes::Elementwise& x) const {
  if (device_.line == 0 || owners_.short_sums.empty()) return false;
  switch (x.op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::neg:
    case Op::square:
    case Op::multiply_add:
      return out.rounds;
    default:
      return x.op < Op::cast && is_float(x.args[0]->dtype) && info_of(x.op).ulp > 0;
  }
}

int Planner::lower_elementwise(Writing& out, const Node& x, const Layout& at) {
  if (const auto* custom = x.as<nodes::Custom>()) return lower_custom(out, *custom, at);
  const auto* elementwise = x.as<nodes::Elementwise>();
  std::array<int32_t, 3> args{-1, -1, -1};
  const bool outside = std::exchange(out.rounds, rounds_below(out, *elementwise));
  for (size_t i = 0; i < 3; ++i)
    if (elementwise->args[i]) args[i] = lower(out, *elementwise->args[i], at);
  out.rounds = outside;
  return out.builder.elementwise(elementwise->op, elementwise->args[0]->dtype, x.dtype, args);
}

/// A step of a row kernel, which all elements of a row read; otherwise the elements made of it have to be computed
/// before, or x.
int Planner::lower_fold(Writing& out, const Node& x, const Layout& at) {
  if (out.frame != nullptr || !layout::same(at, out.rows->rows)) {
    const Node* elements = elements_above(*out.self, x, out.rows->folds, owners_.materialized);
    return materialize_first(elements != nullptr && !owners_.materialized.count(elements) ? *elements : x);
  }
  const auto& reduce = *x.as<nodes::Reduce>();
  const int value = lower(out, *reduce.arg, out.rows->elements);
  if (too_large_ != nullptr) return 0;
  return stored(out, x, at, out.builder.fold(reduce.reduction, x.dtype, value));
}

int Planner::lower_custom(Writing& out, const nodes::Custom& custom, const Layout& at) {
  std::vector<int32_t> args;
  for (const NodePtr& arg : custom.args) args.push_back(lower(out, *arg, at));
  return out.builder.custom(custom.op, std::move(args));
}

bool Planner::is_stored(const Writing& out, const Node& x) const {
  const auto owner = owners_.stored_by.find(&x);
  return owner != owners_.stored_by.end() && owner->second == out.self;
}

int Planner::stored(Writing& out, const Node& x, const Layout& at, int value) {
  // Met again through another layout of the same places, it is there already.
  if (!is_stored(out, x) || plan_.produced.count(&x)) return value;
  if (!can_store(out, x, at)) return materialize_first(x);
  out.builder.store(value, output(x, at));
  return value;
}

bool Planner::can_store(const Writing& out, const Node& x, const Layout& at) {
  return out.rows == nullptr || (out.frame == nullptr && layout::same(at, out.rows->layout_of(x)));
}

int Planner::lower_view(Writing& out, const Node& x, const nodes::View& view, const Layout& at) {
  if (const std::optional<Layout> through = layout::compose(at, view.layout)) return lower(out, *view.source, *through);
  // The kernel that copies the view would wait for what this one stores, or compute its folds again.
  if (out.rows != nullptr && is_computed_by(out, *view.source)) return materialize_first(*view.source);
  return load(out, in_memory(x), at);
}

int Planner::load(Writing& out, const Stored& x, const Layout& at) {
  return out.frame != nullptr ? out.frame->load(out.builder, at_layout(x, at)) : out.builder.load(at_layout(x, at));
}

int Planner::lower_remap(Writing& out, const Node& x, const nodes::Remap& remap, const Layout& at) {
  if (RemapFrame::is_identity(remap)) return lower(out, *remap.source, at);
  std::optional<RemapFrame> frame = RemapFrame::make(out.builder, remap, x.shape, at, out.frame);
  if (!frame && out.rows != nullptr && is_computed_by(out, *remap.source)) return materialize_first(*remap.source);
  if (!frame) return load(out, in_memory(x), at);
  return lower_source(out, remap, *frame);
}

int Planner::lower_within(Writing& out, const Node& source, const RemapFrame& frame) {
  Done done;  // of this frame's layouts
  std::swap(out.done, done);
  const RemapFrame* outer = std::exchange(out.frame, &frame);
  const int value = lower(out, source, layout::contiguous(frame.shape()));
  out.frame = outer;
  std::swap(out.done, done);
  return value;
}

int Planner::lower_source(Writing& out, const nodes::Remap& remap, RemapFrame& frame) {
  const Node& source = *remap.source;
  const Node* shown = &source;
  for (const nodes::View* view = nullptr; stored_of(*shown) == nullptr && (view = shown->as<nodes::View>()) != nullptr;)
    shown = view->source.get();
  const bool is_stored = stored_of(*shown) != nullptr;
  if (is_stored) frame.set_otherwise(remap.fill);
  const int value = lower_within(out, source, frame);
  const int inside = is_stored ? -1 : frame.inside(out.builder);
  if (inside < 0) return value;
  const DType dtype = computed_type(source.dtype);
  const int fill = out.builder.parameter(dtype, {remap.fill});
  return out.builder.operation(Op::where, dtype, {inside, value, fill});
}

const Node* Planner::computed_at_many(const Writing& out) const {
  constexpr size_t many = 8;
  const Node* most = nullptr;
  size_t places = many - 1;
  for (auto node = owners_.order.rbegin(); node != owners_.order.rend(); ++node) {
    const auto* remap = (*node)->as<nodes::Remap>();
    const Node& computed = remap != nullptr ? *remap->source : **node;
    const bool counts = computed.is_elementwise() && is_computed_by(out, computed);
    if (!counts || out.done.count(node->get()) <= places) continue;
    most = &computed;
    places = out.done.count(node->get());
  }
  return most;
}

const Node* Planner::what_to_materialize(const Node& x) const {
  if (const RowFolds* rows = owners_.rows_at(x); rows != nullptr && rows->gathered != nullptr) return rows->gathered;
  for (const NodePtr& node : owners_.order)
    if (const auto owner = owners_.stored_by.find(node.get()); owner != owners_.stored_by.end() && owner->second == &x)
      return node.get();
  const std::vector<const Node*> inside = fused_below(x, owners_.materialized);
  if (!inside.empty()) return inside[inside.size() / 2];
  const std::vector<const Node*> loads = loads_below(x, owners_.materialized);
  if (!loads.empty()) return loads.front();
  const auto accumulator = owners_.accumulator_of.find(&x);
  if (accumulator == owners_.accumulator_of.end())
    throw DeviceError("[eval] this device binds too few storage buffers for a single operation");
  return accumulator->second;
}

}  // namespace eglantine
