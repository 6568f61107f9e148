#include "verbs/composite.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "eglantine/scalar.hpp"
#include "evaluate/pend.hpp"
#include "graph/graph_lock.hpp"

namespace eglantine::verbs {
namespace {

/// Whether what x is read from lies in the order of its axes. Else what is made of x may lie, and be summed, as that
/// does: a composite's own result is row-major.
bool reads_in_order(const Node& x) {
  if (!x.dominant.layout) return true;
  const Layout& at = *x.dominant.layout;
  int64_t before = std::numeric_limits<int64_t>::max();
  for (int axis = 0; axis < at.shape.rank(); ++axis) {
    const int64_t stride = std::abs(at.strides[static_cast<size_t>(axis)]);
    if (at.shape[axis] == 1) continue;
    if (stride == 0 || stride >= before) return false;
    before = stride;
  }
  return true;
}

}  // namespace

bool may_be_one(const std::vector<NodePtr>& args) {
  return !PlanParts::are_made() && std::ranges::all_of(args, [](const NodePtr& arg) {
    return !arg->is_traced() && arg->as<nodes::Constant>() == nullptr && reads_in_order(*arg);
  });
}

Tensor composite(DType dtype, const Shape& shape, nodes::Composite of) {
  return may_be_one(of.args) ? pend(make_composite(dtype, shape, std::move(of))) : Tensor(of.parts(of));
}

Tensor composite_with(nodes::Composite of, std::string_view function, std::initializer_list<double> numbers) {
  const bool is_one = may_be_one(of.args);
  const NodePtr first = of.args.front();
  for (const double number : numbers)
    of.args.push_back(
        make_constant(first->device, DType::f32, first->shape, Scalar(number).bits(DType::f32, function)));
  return is_one ? pend(make_composite(DType::f32, first->shape, std::move(of))) : Tensor(of.parts(of));
}

std::vector<int64_t> with_axes(std::vector<int64_t> numbers, const Axes& axes) {
  numbers.insert(numbers.end(), axes.begin(), axes.end());
  return numbers;
}

Axes axes_from(const std::vector<int64_t>& numbers, size_t first) {
  Axes axes;
  for (size_t i = first; i < numbers.size(); ++i) axes.push_back(numbers[i]);
  return axes;
}

}  // namespace eglantine::verbs
