#include <algorithm>

#include "eglantine/ops.hpp"
#include "grad/rules.hpp"
#include "verbs/contraction.hpp"

namespace eglantine::derivatives {

Tensor transposed(const Tensor& x) { return swapaxes(x, -2, -1); }

namespace {

/// Axes [0, batch), then [second, second + seconds), then [first, first + firsts).
Axes swapped(int batch, int first, int firsts, int second, int seconds) {
  Axes axes;
  for (int i = 0; i < batch; ++i) axes.push_back(i);
  for (int i = 0; i < seconds; ++i) axes.push_back(second + i);
  for (int i = 0; i < firsts; ++i) axes.push_back(first + i);
  return axes;
}

Axes in_order(int count) { return swapped(0, 0, 0, 0, count); }

bool lies_by_columns(const Node& x) {
  const auto* view = x.as<nodes::View>();
  if (view == nullptr || view->boundary) return false;
  const auto& strides = view->layout.strides;
  const int64_t of_rows = strides[strides.size() - 2], of_columns = strides.back();
  return of_rows > 0 && of_rows < of_columns;
}

/// a b, as the cotangent of a matrix: of a transposed one as (b^T a^T)^T, which is transposed back for nothing.
Tensor cotangent_of(const Node& matrix, const Tensor& a, const Tensor& b) {
  return lies_by_columns(matrix) ? transposed(matmul(transposed(b), transposed(a))) : matmul(a, b);
}

}  // namespace

/// c = a b: a gets g b^T, b gets a^T g.
void give_back(const nodes::Matmul& x, const Tensor&, const Tensor& g, Cotangents& to) {
  if (to.wants(x.a)) to.give(x.a, cotangent_of(*x.a, g, transposed(Tensor(x.b))));
  if (to.wants(x.b)) to.give(x.b, cotangent_of(*x.b, transposed(Tensor(x.a)), g));
}

/// With the result as (batches, rows, columns), a gets the sum over columns of g b, b that over rows of g a.
void give_back(const nodes::Contraction& x, const Tensor&, const Tensor& g, Cotangents& to) {
  const int batch = x.batch, rows = x.rows, columns = x.columns, summed = x.a->shape.rank() - batch - rows;
  Axes back;
  for (int i = 0; i < x.order.rank(); ++i)
    back.push_back(std::find(x.order.begin(), x.order.end(), i) - x.order.begin());
  const Tensor by_rows = g.permute(back);
  if (to.wants(x.a)) {
    const Tensor b = Tensor(x.b).permute(swapped(batch, batch, columns, batch + columns, summed));
    to.give(x.a, verbs::contraction(by_rows, b, batch, rows, summed, in_order(batch + rows + summed)));
  }
  if (to.wants(x.b)) {
    const Tensor by_columns = by_rows.permute(swapped(batch, batch, rows, batch + rows, columns));
    const Tensor a = Tensor(x.a).permute(swapped(batch, batch, rows, batch + rows, summed));
    to.give(x.b, verbs::contraction(by_columns, a, batch, columns, summed, in_order(batch + columns + summed)));
  }
}

}  // namespace eglantine::derivatives
