#include "lower/row/moves.hpp"

#include "layout/layout.hpp"
#include "lower/across.hpp"
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

MapKernel moving(Strided from, Strided to, int kept_rank) {
  for (int axis = is_of_rows(to.layout, kept_rank) ? kept_rank : to.layout.shape.rank(); axis < to.layout.shape.rank();
       ++axis)
    from.layout.shape[axis] = to.layout.shape[axis] = 1;
  MapKernel map{load_of(from), to};
  order_by_results(map);
  return map;
}

}  // namespace eglantine::lower
