#include "graph/planning/decomposition/pieces.hpp"

#include <algorithm>

#include "graph/op/storage_type.hpp"
#include "graph/traversal.hpp"

namespace eglantine {

namespace {

/// What is made of a reduction's results is its epilogue.
bool is_computed_element_by_element(const NodePtr& piece) {
  const Node& shown = *behind_views(piece);
  return !shown.is_computed() && (shown.is_elementwise() || shown.as<nodes::Stencil>() != nullptr);
}

bool computes_in_order(const Node& x) {
  const auto* view = x.as<nodes::View>();
  return x.as<nodes::Elementwise>() != nullptr || (view != nullptr && keeps_order(*view));
}

}  // namespace

Pieces::Pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order, bool gpu) : gpu_(gpu) {
  depths_.measure(order);
  for (const NodePtr& root : roots) ++readers_[root.get()];
  for (const NodePtr& node : order) {
    bool made = node->as<nodes::Contraction>() != nullptr;
    for (const NodePtr& source : sources_of(*node)) {
      ++readers_[source.get()];
      made = made || (computes_in_order(*node) && made_of_contractions_.count(source.get()) != 0);
    }
    if (made) made_of_contractions_.insert(node.get());
  }
}

/// Not what is below none of the pending nodes, such as a constant that a view shows.
bool Pieces::is_read_once(const Node& x) const {
  const auto readers = readers_.find(&x);
  return !x.is_computed() && readers != readers_.end() && readers->second == 1;
}

/// The placement that x is, or shows in its own order; null for others, and where something else reads it.
const Node* Pieces::placement_at(const NodePtr& x) const {
  constexpr int longest_chain = 8;
  const Node* at = x.get();
  for (const nodes::View* view = nullptr; is_read_once(*at) && (view = at->as<nodes::View>()) != nullptr;) {
    if (view->boundary || !keeps_order(*view)) return nullptr;
    at = view->source.get();
  }
  if (at->as<nodes::Placement>() == nullptr || !is_read_once(*at)) return nullptr;
  const auto chain = chains_.find(at);
  return chain == chains_.end() || chain->second < longest_chain ? at : nullptr;
}

bool Pieces::is_of_contractions(const nodes::Placement& what) const {
  return std::ranges::any_of(what.pieces, [&](const NodePtr& x) { return made_of_contractions_.count(x.get()) != 0; });
}

/// Each piece has a kernel of its own. What an earlier kernel took in already is stored this time, as is what a
/// derivative may still read.
bool Pieces::may_be_an_epilogue(const Node& placement, const nodes::Placement& what) const {
  constexpr size_t most = 32;
  return is_of_contractions(what) && what.pieces.size() <= most && !placement.is_kept() &&
         !placement.awaits_derivative();
}

bool Pieces::may_be_of_elements(const nodes::Placement& what) const {
  constexpr size_t most = 4;  // results of one kernel, of which more would be too long
  return gpu_ && what.pieces.size() <= most && std::ranges::all_of(what.pieces, is_computed_element_by_element);
}

/// Whether another operand than `placed` is there no earlier than the placement: its kernel takes x as its epilogue.
bool Pieces::waits_for_others(const nodes::Elementwise& x, const NodePtr& placed, const Node& placement) const {
  return std::ranges::any_of(x.args, [&](const NodePtr& other) {
    const int depth = other && other != placed ? depths_.of(*other) : 0;
    return depth > 0 && depth >= depths_.of(placement);
  });
}

nodes::Placement Pieces::of_each_piece(const Node& x, const NodePtr& placed, const nodes::Placement& what) {
  const auto& made = *x.as<nodes::Elementwise>();
  nodes::Placement same{{}, what.regions, {}};
  for (size_t i = 0; i < what.pieces.size(); ++i) {
    const NodePtr& piece = what.pieces[i];
    std::array<NodePtr, 3> args = made.args;
    for (NodePtr& each : args)
      if (each) each = each == placed ? piece : view_of(each, what.regions[i]);
    same.pieces.push_back(make_elementwise(made.op, x.dtype, args));
    if (made_of_contractions_.count(piece.get()) != 0) made_of_contractions_.insert(same.pieces.back().get());
  }
  return same;
}

std::optional<nodes::Placement> Pieces::of(const Node& x) {
  const auto* made = x.as<nodes::Elementwise>();
  if (made == nullptr) return std::nullopt;
  for (const NodePtr& arg : made->args) {
    const Node* placement = arg ? placement_at(arg) : nullptr;
    if (placement == nullptr) continue;
    const auto& what = *placement->as<nodes::Placement>();
    const bool is_epilogue = may_be_an_epilogue(*placement, what) && !is_narrow(dense_storage(x.dtype)) &&
                             !waits_for_others(*made, arg, *placement);
    if (what.fill || !(is_epilogue || may_be_of_elements(what))) continue;
    chains_[&x] = chains_[placement] + 1;
    if (is_epilogue) taken_in_.push_back(placement);
    return of_each_piece(x, arg, what);
  }
  return std::nullopt;
}

}  // namespace eglantine
