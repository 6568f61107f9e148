#include "lower/reduce/rewrites/boxes.hpp"

#include <algorithm>

#include "graph/op/op_info.hpp"
#include "layout/layout.hpp"
#include "lower/expressions.hpp"
#include "lower/map/transpose/box_choice.hpp"
#include "lower/map/transpose/permute_program.hpp"
#include "lower/reduce/rewrites/boxes_program.hpp"
#include "lower/reduce/schedule/any_order.hpp"

namespace eglantine::lower {
namespace {

bool runs_backwards(const Strided& x) {
  return std::ranges::any_of(x.layout.strides, [](int64_t stride) { return stride < 0; });
}

bool may_take_boxes(const Target& target, const ReduceKernel& kernel) {
  // Fewer are read across in the time of another dispatch; numbers of more pass 32 bits. Beside what runs backwards the
  // tree of a copy is quicker: on an H200 24 million pairs of rows of 5 take 234 us so, by boxes 384.
  constexpr int64_t fewest = 1 << 18, most = int64_t{1} << 31;
  const Expr& x = kernel.prologue;
  const int64_t elements = x.domain.elements();
  const bool any = kernel.tree == layout::ReduceTree::any || is_exact(kernel.reduction, x.dtype());
  return !target.software && any && kernel.kept_rank == 0 && !is_arg(kernel.reduction) &&
         kernel.reduction != Reduction::custom && elements >= fewest && elements < most && x.stored.empty() &&
         x.piecewise.empty() && std::ranges::none_of(x.operands, runs_backwards);
}

/// What lies across the others, which all have long runs in the domain's order, or are few elements.
std::vector<StagedView> views_across(const Expr& x) {
  constexpr int64_t few = 4;
  std::vector<StagedView> views = views_apart(x);
  for (size_t i = 0; i < x.operands.size(); ++i) {
    const auto is_staged = [i](const StagedView& view) { return view.operand == static_cast<int>(i); };
    const bool is_small = few * layout::reach(x.operands[i].layout).count() < x.domain.elements();
    if (!is_small && std::ranges::none_of(views, is_staged) && is_apart(x.operands[i])) return {};
  }
  return views.size() < x.operands.size() ? views : std::vector<StagedView>();
}

}  // namespace

bool run_in_boxes(Lowering& lowering, const ReduceKernel& kernel) {
  const Target& target = lowering.target();
  if (!may_take_boxes(target, kernel)) return false;
  const std::vector<StagedView> views = views_across(kernel.prologue);
  if (views.empty()) return false;
  const DType dtype = kernel.prologue.dtype();
  const MapKernel values{kernel.prologue, {nullptr, word_storage(dtype), layout::contiguous(kernel.prologue.domain)}};
  const std::optional<JointTile> tile = chosen_box(target, values, views);
  // The invocations' sums may need memory beside the boxes.
  if (!tile || 4 * (tile->slots * tile->tiles() + permute_group(target, *tile)) > target.max_shared_bytes) return false;
  BoxesProgram program(target, values, *tile, kernel.reduction);
  if (!program.fits() || program.bindings() >= target.max_bindings) return false;
  const Strided partials = lowering.temporary(dtype, layout::contiguous(Shape{program.groups()}));
  lowering.dispatch(program.dispatch_to(partials));
  ReduceKernel rest = kernel;
  rest.tree = layout::ReduceTree::row;
  rest.prologue = load_of(partials);
  lower(lowering, rest);
  return true;
}

}  // namespace eglantine::lower
