#include "graph/kernel/results_together.hpp"

#include "graph/kernel/expression_copier.hpp"
#include "layout/layout.hpp"

namespace eglantine {

namespace {

int64_t places_of(const Shape& domain, int first_axis, int count) {
  int64_t places = 1;
  for (int axis = first_axis; axis < first_axis + count; ++axis) places *= domain[axis];
  return places;
}

}  // namespace

bool can_be_together(const Expr& prologue, Reduction reduction) {
  const bool reads = !prologue.operands.empty() || !prologue.iotas.empty();
  return reads && reduction != Reduction::custom && prologue.dtype() == DType::f32 && prologue.stored.empty() &&
         prologue.calls.empty() && ExpressionCopier::copyable(prologue);
}

ResultsTogether results_together(const Expr& prologue, int first_axis, int kept_rank) {
  const int count = kept_rank - first_axis;
  ExpressionBuilder builder(at_coordinates(layout::contiguous(prologue.domain), first_axis, count, 0).shape);
  ExpressionCopier copier(prologue, builder);
  ResultsTogether together;
  for (int64_t place = 0; place < places_of(prologue.domain, first_axis, count); ++place)
    together.results.push_back(
        copier.copy([&](const Layout& x) { return at_coordinates(x, first_axis, count, place); }));
  together.prologue = builder.take();
  return together;
}

int64_t results_at_once(const Expr& prologue, int kept_rank, Reduction reduction) {
  const int64_t columns = kept_rank > 0 ? prologue.domain[kept_rank - 1] : 1;
  const bool may = reduction == Reduction::sum && can_be_together(prologue, reduction);
  if (columns < 2 || columns > most_results_at_once || !may) return 1;
  const size_t at_once = results_together(prologue, kept_rank - 1, kept_rank).prologue.code.size();
  return 2 * at_once <= static_cast<size_t>(columns) * prologue.code.size() ? columns : 1;
}

}  // namespace eglantine
