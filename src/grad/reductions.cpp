#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "grad/rules.hpp"
#include "graph/graph_lock.hpp"
#include "graph/made_of_sums.hpp"
#include "layout/layout.hpp"
#include "verbs/build.hpp"
#include "verbs/factors.hpp"

namespace eglantine::derivatives {

namespace {

/// A value of each run of a reduction beside the run's elements.
Tensor beside(const Tensor& x, const nodes::Reduce& reduce) {
  const Shape& shape = reduce.arg->shape;
  const Layout each = layout::contiguous(verbs::reduced_shape(shape, reduce.order.reduced, true));
  return pend(make_view(x.node(), layout::expand(each, shape)));
}

/// What a result is looked for in has the bits that the result was found with.
void keep_bits(const NodePtr& x) {
  const GraphLock lock;
  if (const NodePtr values = made_of_sums(x)) values->set_kept(lock);
}

/// The product of the others: of no zero it is result / x; a single zero gets the product of the rest.
Tensor of_product(const Tensor& x, const Tensor& result, const nodes::Reduce& reduce) {
  const Axes& axes = reduce.order.reduced;
  const Tensor zero = x == 0, zeros_of_run = beside(sum(zero, axes), reduce);
  const Tensor others = beside(prod(where(zero, 1, x), axes), reduce);
  return where(zero, where(zeros_of_run == 1, others, 0),
               where(zeros_of_run == 0, beside(result, reduce) / where(zero, 1, x), 0));
}

/// The same where another derivative goes through x.
Tensor of_differentiated_product(const Tensor& x, const Tensor& g, const nodes::Reduce& like) {
  const auto combined = [=](const Tensors& at, Reduction how) {
    return how == Reduction::sum ? sum(at[0], like.order.reduced) : prod(at[0], like.order.reduced);
  };
  const auto spread = [=](const Tensor& each) { return Tensors{beside(each, like)}; };
  return verbs::cotangents_of_factors({{x}, combined, spread}, g)[0];
}

}  // namespace

void give_back(const nodes::Reduce& reduce, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!to.wants(reduce.arg)) return;
  const Tensor x(reduce.arg), each = beside(g, reduce);
  switch (reduce.reduction) {
    case Reduction::sum:
      return to.give(reduce.arg, each);
    case Reduction::prod:
      return to.give(reduce.arg, x.node()->is_differentiated() ? of_differentiated_product(x, g, reduce)
                                                               : each * of_product(x, result, reduce));
    case Reduction::max:
    case Reduction::min:
    case Reduction::nanmax:
    case Reduction::nanmin: {
      keep_bits(reduce.arg);
      const Tensor wins = (x == beside(result, reduce)).astype(x.dtype());  // ties share it equally
      return to.give(reduce.arg, where(wins != 0, each / beside(sum(wins, reduce.order.reduced), reduce), 0));
    }
    default:
      fail_without(to.function(), reduce.reduction, reduce.custom, "a reduction");
  }
}

namespace {

/// Each element beside its tile's value.
Tensor beside(Tensor x, const nodes::Tiles& tiles) {
  const Shape& shape = tiles.arg->shape;
  for (int axis = 0; axis < shape.rank(); ++axis) x = repeat(x, tiles.tile[axis], axis).slice(axis, 0, shape[axis]);
  return x;
}

}  // namespace

void give_back(const nodes::Tiles& tiles, const Tensor& result, const Tensor& g, Cotangents& to) {
  if (!to.wants(tiles.arg)) return;
  if (tiles.reduction == Reduction::sum) return to.give(tiles.arg, beside(g, tiles));
  if (tiles.reduction != Reduction::max && tiles.reduction != Reduction::min)
    fail_without(to.function(), tiles.reduction, tiles.custom, "a reduction of tiles");
  keep_bits(tiles.arg);
  const Tensor wins = (Tensor(tiles.arg) == beside(result, tiles)).astype(DType::f32);
  const NodePtr count = make_tiles({Reduction::sum, wins.node(), tiles.tile}, result.shape());
  to.give(tiles.arg, where(wins != 0, beside(g / pend(count), tiles), 0));
}

}  // namespace eglantine::derivatives
