#include "graph/planning/decomposition/decompose.hpp"

#include <algorithm>
#include <iterator>

#include "graph/graph_lock.hpp"
#include "graph/made_of_sums.hpp"
#include "graph/planning/decomposition/extremes.hpp"
#include "graph/planning/decomposition/pieces.hpp"
#include "graph/product_choice.hpp"
#include "graph/traversal.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

/// What a tap's row-major number adds to the offset of the source's layout.
int64_t step_to(const nodes::Stencil& x, int64_t number) {
  int64_t step = 0;
  for (int axis = x.taps.rank() - 1; axis >= 0; number /= x.taps[axis--]) step += number % x.taps[axis] * x.steps[axis];
  return step;
}

Layout moved(Layout x, int64_t by) {
  x.offset += by;
  return x;
}

/// `sum` (null: none yet) and a product; of floats in one step, which may round once.
NodePtr plus_product(const NodePtr& sum, const NodePtr& x, const NodePtr& y) {
  if (sum && is_float(x->dtype)) return make_elementwise(Op::multiply_add, x->dtype, {x, y, sum});
  const NodePtr product = make_elementwise(Op::mul, x->dtype, {x, y, nullptr});
  return sum ? make_elementwise(Op::add, x->dtype, {sum, product, nullptr}) : product;
}

NodePtr parts_of(const nodes::Stencil& x) {
  NodePtr result;
  for (int64_t number = 0; number < x.taps.elements(); ++number) {
    const NodePtr read = view_of(x.source, moved(x.at, step_to(x, number)));
    if (x.factor)
      result = plus_product(result, read, view_of(x.factor, moved(x.factor_at, number)));
    else
      result = result ? make_elementwise(x.op, read->dtype, {result, read, nullptr}) : read;
  }
  return result;
}

/// What a node reads in windows that is better stored; null where nothing is.
const Node* better_stored(const Node& x, bool gpu) {
  if (const auto* sums = x.as<nodes::Contraction>()) return padded_windows(*sums, gpu);
  const auto* stencil = x.as<nodes::Stencil>();
  if (stencil == nullptr || !gpu) return nullptr;
  return scattered_windows(*stencil->source, stencil->taps.elements() * x.shape.elements());
}

}  // namespace

Decomposition::Decomposition(const std::vector<NodePtr>& roots, const DeviceLimits& device) {
  const auto below = [&] { return sources_first(roots, [](const Node&) { return true; }); };
  std::vector<NodePtr> order = below();
  const auto decompose = [&](const NodePtr& node, const auto* of) {
    if (of != nullptr) said_.say(node, parts_of(*of)->value());
    return of != nullptr;
  };
  std::vector<NodePtr> extremes;  // but those of composites' own parts
  std::ranges::copy_if(order, std::back_inserter(extremes),
                       [](const NodePtr& x) { return extremes_of(*x) != nullptr; });
  const bool has_more = std::ranges::any_of(order, [](const NodePtr& node) { return node->as<nodes::Composite>(); });
  decompose_composites(order);
  for (const NodePtr& x : extremes) store_compared(*x);
  if (has_more) order = below();
  const auto is_placement = [](const NodePtr& node) { return node->as<nodes::Placement>() != nullptr; };
  if (std::ranges::any_of(order, is_placement) && say_in_pieces(roots, order, device.line > 0)) order = below();
  for (const NodePtr& node : order) {
    const Node* read = better_stored(*node, device.line > 0);
    if (read != nullptr) stored_.insert(read);
    decompose(node, node->as<nodes::Stencil>());
  }
  for (auto& [node, value] : extremes_together(order, device)) {
    said_.say(node, std::move(value));
    if (node->is_elementwise()) stored_.insert(node.get());
  }
}

/// Where sums along other axes than x's are in what x is the largest of: x's kernel does not add these. Where sums
/// along x's are in it, only if it was computed before or a derivative is going to look for x in it: x's kernel needs
/// not store it.
void Decomposition::store_compared(const Node& x) {
  const NodePtr& of = *extremes_of(x);
  const NodePtr apart = made_of_sums(of, x.as<nodes::Reduce>()), values = apart ? apart : made_of_sums(of);
  if (apart || (values && (values->is_kept() || values->awaits_derivative()))) compared_.push_back(values);
}

bool Decomposition::say_in_pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order, bool gpu) {
  const PlanParts scope;
  Pieces pieces(roots, order, gpu);
  bool any = false;
  for (const NodePtr& node : order) {
    std::optional<nodes::Placement> same = pieces.of(*node);
    any = any || same;
    if (same) said_.say(node, std::move(*same));
  }
  taken_in_ = pieces.taken_in();
  return any;
}

void Decomposition::decompose_composites(const std::vector<NodePtr>& order) {
  const PlanParts scope;
  for (const bool sharing : {false, true})
    for (const NodePtr& node : order) {
      const auto* of = node->as<nodes::Composite>();
      if (of == nullptr || of->shares != sharing) continue;
      const NodePtr parts = of->parts(*of);
      said_.say(node, parts->value());
      // What others' parts compute with it read it there: of two nodes of one value, both would be computed. What a
      // node before this one shows already stays its.
      if (sharing && parts->as<nodes::View>() == nullptr)
        parts->restate(nodes::View{node, layout::contiguous(node->shape)});
    }
}

void Decomposition::Said::say(const NodePtr& node, nodes::Value value) {
  said_.emplace_back(node, nodes::Leaf{});
  said_.back().second = node->restate(std::move(value));
}

Decomposition::Said::~Said() {
  for (auto each = said_.rbegin(); each != said_.rend(); ++each) each->first->restate(std::move(each->second));
}

}  // namespace eglantine
