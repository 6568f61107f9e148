#include "verbs/composite.hpp"

#include <algorithm>

#include "evaluate/pend.hpp"
#include "graph/graph_lock.hpp"

namespace eglantine::verbs {

Tensor composite(DType dtype, const Shape& shape, nodes::Composite of) {
  const bool is_one = !PlanParts::are_made() && std::none_of(of.args.begin(), of.args.end(), [](const NodePtr& arg) {
    return arg->is_traced() || arg->as<nodes::Constant>();
  });
  return is_one ? pend(make_composite(dtype, shape, std::move(of))) : Tensor(of.parts(of));
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
