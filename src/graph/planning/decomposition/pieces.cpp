#include "graph/planning/decomposition/pieces.hpp"

#include <algorithm>

#include "graph/traversal.hpp"

namespace eglantine {

namespace {

/// What is made of a contraction's results is its epilogue.
bool is_computed_element_by_element(const NodePtr& piece) {
  const Node& shown = *behind_views(piece);
  return shown.is_elementwise() && !shown.is_computed();
}

}  // namespace

Pieces::Pieces(const std::vector<NodePtr>& roots, const std::vector<NodePtr>& order) {
  for (const NodePtr& root : roots) ++readers_[root.get()];
  for (const NodePtr& node : order)
    for (const NodePtr& source : sources_of(*node)) ++readers_[source.get()];
}

/// x's placement, of that shape.
const nodes::Placement* Pieces::read_once(const NodePtr& x, const Shape& shape) const {
  constexpr size_t most = 4;  // results of one kernel, of which more would be too long
  constexpr int longest_chain = 8;
  const auto* what = x->is_computed() ? nullptr : x->as<nodes::Placement>();
  if (what == nullptr || what->fill || what->pieces.size() > most) return nullptr;
  if (x->shape != shape || readers_.at(x.get()) > 1) return nullptr;
  if (const auto chain = chains_.find(x.get()); chain != chains_.end() && chain->second == longest_chain)
    return nullptr;
  return std::ranges::all_of(what->pieces, is_computed_element_by_element) ? what : nullptr;
}

std::optional<nodes::Placement> Pieces::of(const Node& x) {
  const auto* made = x.as<nodes::Elementwise>();
  if (made == nullptr) return std::nullopt;
  for (const NodePtr& arg : made->args) {
    const nodes::Placement* what = arg ? read_once(arg, x.shape) : nullptr;
    if (what == nullptr) continue;
    nodes::Placement same{{}, what->regions, {}};
    for (size_t i = 0; i < what->pieces.size(); ++i) {
      std::array<NodePtr, 3> args = made->args;
      for (NodePtr& each : args)
        if (each) each = each == arg ? what->pieces[i] : view_of(each, what->regions[i]);
      same.pieces.push_back(make_elementwise(made->op, x.dtype, args));
    }
    chains_[&x] = chains_[arg.get()] + 1;
    return same;
  }
  return std::nullopt;
}

}  // namespace eglantine
