#include <algorithm>
#include <numeric>

#include "graph/kernel/expression.hpp"
#include "graph/planning/planner.hpp"
#include "graph/traversal.hpp"

/// Pieces side by side in one result: concatenations, stacks, pads of what is computed.
namespace eglantine {

namespace {

/// Whether the pieces are of equal shape, and few enough to be results of one kernel.
bool are_alike(const nodes::Placement& what) {
  constexpr size_t most = 4;
  const Layout& first = what.regions.front();
  if (what.fill || what.pieces.size() < 2 || what.pieces.size() > most) return false;
  const auto same = [&](const Layout& x) { return x.shape == first.shape && x.strides == first.strides; };
  return first.size() >= 2 && std::ranges::all_of(what.regions, same);
}

/// Whether pieces that are alike alternate along the result's innermost axis: element i of piece j is element i *
/// pieces + j of a row.
bool alternates(const nodes::Placement& what) {
  const Layout& first = what.regions.front();
  const auto step = static_cast<int64_t>(what.pieces.size());
  int innermost = first.shape.rank() - 1;
  while (first.shape[innermost] == 1) --innermost;
  if (first.strides[static_cast<size_t>(innermost)] != step) return false;
  for (size_t i = 0; i < what.regions.size(); ++i) {
    if (what.regions[i].offset != first.offset + static_cast<int64_t>(i)) return false;
  }
  return true;
}

/// Whether pieces that are alike are all of the result.
bool are_all(const nodes::Placement& what, int64_t elements) {
  return what.regions.front().size() * static_cast<int64_t>(what.pieces.size()) == elements;
}

/// Whether they have less than a line of memory each in a row of it: kernels of one piece each would write a part of
/// every line again and again.
bool share_lines(const nodes::Placement& what, int64_t elements, int64_t line) {
  return run_of(what.regions.front()) < line && are_all(what, elements);
}

/// Whether they have some lines each, and share the sectors at both ends: memory that a part of a sector is written to
/// reads the rest, and kernels of one piece each leave gaps between what they write.
bool share_sectors(const nodes::Placement& what, int64_t elements, int64_t line) {
  constexpr int64_t sector = 8, most_lines = 16;
  const int64_t run = run_of(what.regions.front());
  return run % sector != 0 && run < most_lines * line && are_all(what, elements);
}

/// `first` and those behind it, less than `end`.
std::vector<size_t> numbers_from(size_t first, size_t end) {
  std::vector<size_t> numbers(end - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

/// Pieces that alternate, or share lines of memory, are results of one kernel, which writes each line once; false where
/// they are too much for one.
bool Planner::interleave(const Node& x, const nodes::Placement& what, const Strided& out) {
  const auto is_in_place = [&](const NodePtr& piece) { return owners_.in_place.count(piece.get()) != 0; };
  if (!are_alike(what) || std::ranges::any_of(what.pieces, is_in_place)) return false;
  if (is_narrow(out.storage)) {
    // Written by whole words (lower/map/interleaved.hpp).
    if (device_.line == 0 || !alternates(what) || !are_all(what, x.shape.elements())) return false;
    put_in_order(what);
  } else if (!alternates(what) && !share_lines(what, x.shape.elements(), device_.line)) {
    const auto across = [&](const NodePtr& piece) { return reads_across(*piece); };
    if (!share_sectors(what, x.shape.elements(), device_.line) || std::ranges::any_of(what.pieces, across))
      return false;
  }
  MapKernel kernel = map_of_pieces(what, numbers_from(0, what.pieces.size()), out);
  kernel.out.whole = out.whole && is_narrow(out.storage);
  if (kernel.value.code.size() > max_kernel_instructions) return false;
  if (bindings_of(kernel, covered_bytes()) > device_.max_bindings) return false;
  emit(std::move(kernel), x);
  return true;
}

/// Where `base`, of a result's elements in order, lies, if the result may take its memory over: no other node and no
/// tensor holds it, and so nothing else that the result is made of reads it.
const Stored* Planner::memory_taken_over(const NodePtr& base, StorageType storage) {
  const NodePtr* at = &base;
  for (const nodes::View* view = nullptr; (view = (*at)->as<nodes::View>()) != nullptr; at = &view->source)
    if (graph_.is_held_elsewhere(**at) || !keeps_order(*view)) return nullptr;
  const Node& node = **at;
  if (graph_.is_held_elsewhere(node) || (!node.is_computed() && !owners_.materialized.count(&node))) return nullptr;
  const Stored& there = node.is_computed() ? node.stored() : in_memory(node);
  return there.storage == storage ? &there : nullptr;
}

/// Where x is to be written: what it takes over of `base` (null: of nothing), else memory of its own.
Planner::Target Planner::target(const Node& x, const NodePtr* base, StorageType storage) {
  const Layout whole = layout::contiguous(x.shape);
  const Stored* taken = base != nullptr ? memory_taken_over(*base, storage) : nullptr;
  if (taken == nullptr) return {whole_at(produce(x, storage), whole), false};
  plan_.in_place.insert(&x);
  return {at_layout(plan_.produced[&x] = Stored(*taken), whole), true};
}

void Planner::placement(const Node& x) {
  const auto& what = *x.as<nodes::Placement>();
  const bool covered = what.pieces.size() > 1 && !what.fill && what.pieces.front()->shape == x.shape &&
                       layout::same(what.regions.front(), layout::contiguous(x.shape));
  const StorageType storage = device_.dense_pieces ? dense_storage(x.dtype) : result_storage(x.dtype);
  const auto [out, taken_over] = target(x, covered ? &what.pieces.front() : nullptr, storage);
  if (interleave(x, what, out) || (!taken_over && select(x, what, out))) return;
  if (what.fill) {
    ExpressionBuilder fill(x.shape);
    fill.parameter(computed_type(x.dtype), {*what.fill});
    emit(MapKernel{fill.take(), out}, x);
  }
  std::vector<size_t> pieces = numbers_from(taken_over ? 1 : 0, what.pieces.size());
  std::erase_if(pieces, [&](size_t i) { return what.pieces[i]->shape.elements() == 0; });
  for (const std::vector<size_t>& together : by_kernels(what, pieces, out)) {
    const Node& piece = *what.pieces[together.front()];
    const Strided place{out.buffer, out.storage, what.regions[together.front()]};
    const Node& shown = *behind_views(what.pieces[together.front()]);
    if (owners_.in_place.count(&piece))
      contraction(owners_.computed_first(piece), shown.is_elementwise() ? &shown : nullptr, &place);
    else
      emit(together.size() > 1 ? map_of_pieces(what, together, out)
                               : MapKernel{argument(piece, layout::contiguous(piece.shape)), place},
           piece);
  }
}

}  // namespace eglantine
