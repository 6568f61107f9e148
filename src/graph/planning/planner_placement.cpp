#include <algorithm>

#include "graph/expression.hpp"
#include "graph/planning/planner.hpp"

/// Pieces side by side in one result: concatenations, stacks, pads of what is computed.
namespace eglantine {

namespace {

/// Whether the pieces, words of equal shape, alternate along the result's innermost axis: element i of piece j is
/// element i * pieces + j of a row.
bool alternates(const nodes::Placement& what, const Strided& out) {
  constexpr size_t most = 4;  // results of one kernel
  const Layout& first = what.regions.front();
  const auto step = static_cast<int64_t>(what.pieces.size());
  if (is_narrow(out.storage) || what.fill || step < 2 || what.pieces.size() > most || first.size() < 2) return false;
  int innermost = first.shape.rank() - 1;
  while (first.shape[innermost] == 1) --innermost;
  if (first.strides[static_cast<size_t>(innermost)] != step) return false;
  for (size_t i = 0; i < what.regions.size(); ++i) {
    const Layout& region = what.regions[i];
    const bool next = region.offset == first.offset + static_cast<int64_t>(i);
    if (!next || region.shape != first.shape || region.strides != first.strides) return false;
  }
  return true;
}

}  // namespace

/// Alternating pieces are results of one kernel, which writes each line once; false where they are too much for one.
bool Planner::interleave(const Node& x, const nodes::Placement& what, const Strided& out) {
  const auto is_in_place = [&](const NodePtr& piece) { return owners_.in_place.count(piece.get()) != 0; };
  if (!alternates(what, out) || std::ranges::any_of(what.pieces, is_in_place)) return false;
  const Layout at = layout::contiguous(what.pieces.front()->shape);
  Writing writing{ExpressionBuilder(at.shape), nullptr, nullptr, {}};
  std::vector<int> values;
  for (const NodePtr& piece : what.pieces) values.push_back(lower(writing, *piece, at));
  if (writing.builder.size() + values.size() > max_kernel_instructions) return false;
  const auto place = [&](size_t i) { return Strided{out.buffer, out.storage, what.regions[i]}; };
  for (size_t i = 0; i + 1 < values.size(); ++i) writing.builder.store(values[i], place(i));
  writing.builder.end_with(values.back());
  MapKernel kernel{writing.builder.take(), place(values.size() - 1)};
  if (bindings_of(kernel, covered_bytes()) > device_.max_bindings) return false;
  emit(std::move(kernel), x);
  return true;
}

/// Where `base`, of x's elements in order, lies, if x may take its memory over: no other node and no tensor holds it,
/// and so nothing else that x is made of reads it.
const Stored* Planner::memory_taken_over(const Node& x, const NodePtr& base) {
  const NodePtr* at = &base;
  for (const nodes::View* view = nullptr; (view = (*at)->as<nodes::View>()) != nullptr; at = &view->source)
    if (graph_.is_held_elsewhere(**at) || !keeps_order(*view)) return nullptr;
  const Node& node = **at;
  if (graph_.is_held_elsewhere(node) || (!node.is_computed() && !owners_.materialized.count(&node))) return nullptr;
  const Stored& there = node.is_computed() ? node.stored() : in_memory(node);
  return there.storage == result_storage(x.dtype) ? &there : nullptr;
}

/// Where x is to be written: what it takes over of `base` (null: of nothing), else memory of its own.
Planner::Target Planner::target(const Node& x, const NodePtr* base) {
  const Layout whole = layout::contiguous(x.shape);
  const Stored* taken = base != nullptr ? memory_taken_over(x, *base) : nullptr;
  if (taken == nullptr) return {output(x, whole), false};
  plan_.in_place.insert(&x);
  return {at_layout(plan_.produced[&x] = Stored(*taken), whole), true};
}

void Planner::placement(const Node& x) {
  const auto& what = *x.as<nodes::Placement>();
  const bool covered = what.pieces.size() > 1 && !what.fill && what.pieces.front()->shape == x.shape &&
                       layout::same(what.regions.front(), layout::contiguous(x.shape));
  const auto [out, taken_over] = target(x, covered ? &what.pieces.front() : nullptr);
  if (what.fill) {
    ExpressionBuilder fill(x.shape);
    fill.parameter(computed_type(x.dtype), {*what.fill});
    emit(MapKernel{fill.take(), out}, x);
  }
  if (interleave(x, what, out)) return;
  for (size_t i = taken_over ? 1 : 0; i < what.pieces.size(); ++i) {
    const Node& piece = *what.pieces[i];
    if (piece.shape.elements() == 0) continue;
    const Strided place{out.buffer, out.storage, what.regions[i]};
    if (owners_.in_place.count(&piece)) {
      contraction(piece, nullptr, &place);
      continue;
    }
    Expr value = argument(piece, layout::contiguous(piece.shape));
    emit(MapKernel{std::move(value), place}, piece);
  }
}

}  // namespace eglantine
