#include <algorithm>

#include "eglantine/verbs/products.hpp"
#include "verbs/build.hpp"
#include "verbs/einsum/contract.hpp"

namespace eglantine {

Tensor einsum(std::string_view subscripts, const std::vector<Tensor>& tensors) {
  const verbs::Subscripts parsed = verbs::parse_subscripts(subscripts);
  std::vector<Shape> shapes;
  for (const Tensor& x : tensors) shapes.push_back(x.shape());
  verbs::SumOfProducts sum = verbs::label_axes(parsed, shapes);
  return verbs::contract("einsum", tensors, std::move(sum));
}

namespace {

/// The axes counted from the front, in the order given: those that x sums over.
Axes summed_axes(const Axes& axes, const Tensor& x) {
  if (!axes.empty()) check::axes_of("tensordot", axes, x.shape());  // none are none, here
  Axes result;
  for (const int64_t axis : axes) result.push_back(check::axis_of("tensordot", axis, x.shape()));
  return result;
}

void require_same_lengths(const Tensor& a, const Axes& of_a, const Tensor& b, const Axes& of_b) {
  if (of_a.rank() != of_b.rank())
    check::fail<ShapeError>("tensordot", "as many axes of the one as of the other: ", to_string(of_a), " and ",
                            to_string(of_b));
  for (int i = 0; i < of_a.rank(); ++i) {
    const auto at_a = static_cast<int>(of_a[i]), at_b = static_cast<int>(of_b[i]);
    if (a.shape()[at_a] != b.shape()[at_b])
      check::fail<ShapeError>("tensordot", "axis ", std::to_string(at_a), " of ", to_string(a.shape()), " is ",
                              std::to_string(a.shape()[at_a]), " long, axis ", std::to_string(at_b), " of ",
                              to_string(b.shape()), " is ", std::to_string(b.shape()[at_b]));
  }
}

/// Axis i of a is label i; of b its partner's, or one beyond a's.
verbs::SumOfProducts labelled(const Tensor& a, const Axes& of_a, const Tensor& b, const Axes& of_b) {
  verbs::SumOfProducts sum{{{}, {}}, {}, {}};
  for (int axis = 0; axis < a.rank(); ++axis) {
    sum.operands[0].push_back(axis);
    if (!of_a.contains(axis)) sum.output.push_back(axis);
    sum.lengths[axis] = a.shape()[axis];
  }
  for (int axis = 0; axis < b.rank(); ++axis) {
    const auto found = static_cast<int>(std::find(of_b.begin(), of_b.end(), axis) - of_b.begin());
    const bool summed = found < of_b.rank();
    const int label = summed ? static_cast<int>(of_a[found]) : max_rank + axis;
    sum.operands[1].push_back(label);
    if (!summed) sum.output.push_back(label);
    sum.lengths[label] = b.shape()[axis];
  }
  return sum;
}

}  // namespace

Tensor tensordot(const Tensor& a, const Tensor& b, Axes axes_of_a, Axes axes_of_b) {
  const Axes of_a = summed_axes(axes_of_a, a), of_b = summed_axes(axes_of_b, b);
  require_same_lengths(a, of_a, b, of_b);
  verbs::SumOfProducts sum = labelled(a, of_a, b, of_b);
  if (sum.output.size() > max_rank)
    check::fail<ShapeError>("tensordot", "of ", to_string(a.shape()), " and ", to_string(b.shape()),
                            " has a rank above ", std::to_string(max_rank));
  return verbs::contract("tensordot", {a, b}, std::move(sum));
}

}  // namespace eglantine
