#include <bit>
#include <tuple>

#include "eglantine/verbs/losses.hpp"
#include "evaluate/evaluate.hpp"
#include "graph/planning/ownership/row_chains.hpp"
#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/rooted.hpp"

/// Cosines of the angles between rows.
namespace eglantine {

namespace {

/// Along an axis, without the order of a tree, so that sums of one row may share a kernel.
Tensor sum_in_any_order(const Tensor& x, int axis) { return pend(make_sum_in_any_order(x.node(), {axis})); }

/// sqrt(total), at least eps.
Tensor length_of(const Tensor& total, double eps) {
  return maximum(verbs::square_root(total), static_cast<float>(eps));
}

/// x with axes of length 1 in front up to the shape's rank, and with its length along `axis`; not expanded otherwise.
Tensor along(const Tensor& x, const Shape& shape, int axis) {
  Tensor y = x;
  while (y.rank() < shape.rank()) y = y.unsqueeze(0);
  Shape expanded = y.shape();
  expanded[axis] = shape[axis];
  return y.expand(expanded);
}

/// Whether a kernel reads a row of either once for its length and the product. Of pairs the products are a matrix's,
/// and lengths are fewer; a derivative goes through the quotient of sums with fewer values of elements.
bool are_rows_of_a_kernel(const Tensor& a, const Tensor& b, const Shape& shape, int axis) {
  const bool differentiated = a.node()->is_differentiated() || b.node()->is_differentiated();
  return verbs::is_gpu(a.device()) && !differentiated && a.shape() == shape && b.shape() == shape &&
         shape.elements() > 0 && has_rows_of_a_kernel(*a.node(), {axis}, limits_of(*a.node()));
}

/// Of f32, which have the shape's length along the axis and broadcast; without the axis.
Tensor cosines(const Tensor& a, const Tensor& b, const Shape& shape, int at, double eps) {
  if (are_rows_of_a_kernel(a, b, shape, at)) {
    const auto unit = [&](const Tensor& of) {
      return of * reciprocal(length_of(sum_in_any_order(square(of), at).unsqueeze(at), eps));
    };
    return sum_in_any_order(unit(a) * unit(b), at);
  }
  const auto length = [&](const Tensor& of) { return length_of(sum(square(of), {at}), eps); };
  return sum(a * b, {at}) / (length(a) * length(b));
}

NodePtr cosine_parts(const nodes::Composite& of) {
  const Tensor a(of.args[0]), b(of.args[1]);
  const Shape shape = check::require_broadcast("cosine_similarity", a.shape(), b.shape());
  return cosines(a, b, shape, static_cast<int>(of.numbers[0]), std::bit_cast<double>(of.numbers[1])).node();
}

}  // namespace

Tensor cosine_similarity(const Tensor& given_a, const Tensor& given_b, int axis, double eps) {
  constexpr int64_t nodes_of_parts = 24;
  const std::string_view name = "cosine_similarity";
  check::require_finite(name, "eps", eps);
  check::require_same_device(name, given_a, given_b);
  const auto [x, y, dtype] = verbs::to_reals(name, given_a, given_b);
  const Shape shape = check::require_broadcast(name, x.shape(), y.shape());
  const int at = check::axis_of(name, axis, shape);
  const Tensor a = along(x, shape, at), b = along(y, shape, at);
  return verbs::composite(DType::f32, verbs::reduced_shape(shape, {at}, false),
                          {cosine_parts, {a.node(), b.node()}, {at, std::bit_cast<int64_t>(eps)}, nodes_of_parts})
      .astype(dtype);
}

}  // namespace eglantine
