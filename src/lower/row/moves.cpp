#include "lower/row/moves.hpp"

#include "layout/layout.hpp"
#include "lower/expressions.hpp"

namespace eglantine::lower {

RowKernel in_box(RowKernel kernel, const layout::Box& box) {
  restrict_to(kernel.value, box);
  restrict_to(kernel.out, box);
  return kernel;
}

Layout contiguous_result(const Layout& out, int kept_rank) {
  const Layout whole = layout::contiguous(out.shape);
  if (!is_of_rows(out, kept_rank)) return whole;
  Layout rows{out.shape, layout::contiguous(Shape(out.shape.begin(), out.shape.begin() + kept_rank)).strides, 0};
  rows.strides.resize(whole.strides.size(), 0);
  return rows;
}

void order_by_results(MapKernel& map) {
  const Axes order = layout::by_distance(map.out.layout);
  const auto change = [&](Layout& x) { x = layout::permute(x, order); };
  for (Strided& operand : map.value.operands) change(operand.layout);
  for (Layout& iota : map.value.iotas) change(iota);
  change(map.out.layout);
  map.value.domain = map.out.layout.shape;
  collapse(map);
}

MapKernel moving(Strided from, Strided to, int kept_rank) {
  for (int axis = is_of_rows(to.layout, kept_rank) ? kept_rank : to.layout.shape.rank(); axis < to.layout.shape.rank();
       ++axis)
    from.layout.shape[axis] = to.layout.shape[axis] = 1;
  MapKernel map{load_of(from), to};
  order_by_results(map);
  return map;
}

}  // namespace eglantine::lower
