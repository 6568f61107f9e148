#include "layout/layout.hpp"
#include "verbs/build.hpp"

namespace eglantine {

namespace {

/// One number for each axis, 1 where none are given. Throws ShapeError for another count, or a number below 1.
std::vector<int64_t> for_each_axis(const char* what, const std::vector<int64_t>& numbers, int axes, bool optional) {
  if (optional && numbers.empty()) return std::vector<int64_t>(static_cast<size_t>(axes), 1);
  if (numbers.size() != static_cast<size_t>(axes))
    check::fail<ShapeError>("windows", "wants one of the ", what, " for each of ", std::to_string(axes), " axes, got ",
                            std::to_string(numbers.size()));
  for (int64_t number : numbers)
    if (number < 1) check::fail<ShapeError>("windows", what, " are at least 1, got ", std::to_string(number));
  return numbers;
}

Axes named(const Tensor& x, const Axes& axes) {
  if (axes.empty()) return check::axes_of("windows", axes, x.shape());
  Axes result;
  for (int64_t axis : axes) result.push_back(check::axis_of("windows", axis, x.shape()));
  return result;
}

/// Elements from the first to the last of a window. Throws ShapeError where they do not fit the axis.
int64_t extent(const Tensor& x, int axis, int64_t length, int64_t size, int64_t dilation) {
  int64_t last = 0;
  if (!__builtin_mul_overflow(size - 1, dilation, &last) && last < length) return last + 1;
  const std::string spread = dilation == 1 ? "" : ", " + std::to_string(dilation) + " apart,";
  check::fail<ShapeError>("windows", "a window of ", std::to_string(size), " elements", spread, " is longer than axis ",
                          std::to_string(axis), " of ", to_string(x.shape()), ", which has ", std::to_string(length),
                          " places");
}

}  // namespace

Tensor windows(const Tensor& x, Axes axes, const std::vector<int64_t>& sizes, const std::vector<int64_t>& steps,
               const std::vector<int64_t>& dilations) {
  const Axes along = named(x, axes);
  const std::vector<int64_t> size = for_each_axis("sizes", sizes, along.rank(), false),
                             step = for_each_axis("steps", steps, along.rank(), true),
                             dilation = for_each_axis("dilations", dilations, along.rank(), true);
  if (x.rank() + along.rank() > max_rank)
    check::fail<ShapeError>("windows", std::to_string(along.rank()), " axes beside those of ", to_string(x.shape()),
                            " are more than the largest rank, ", std::to_string(max_rank));
  Layout result = layout::contiguous(x.shape());
  if (x.size() == 0) result.strides.assign(result.strides.size(), 0);  // nothing bounds those of no elements
  for (int k = 0; k < along.rank(); ++k) {
    const size_t i = static_cast<size_t>(k);
    const int axis = static_cast<int>(along[k]);
    const int64_t length = result.shape[axis], stride = result.strides[static_cast<size_t>(axis)];
    const int64_t places = (length - extent(x, axis, length, size[i], dilation[i])) / step[i] + 1;
    result = layout::slice(result, axis, 0, places, step[i]);
    result.shape.push_back(size[i]);
    result.strides.push_back(size[i] > 1 ? stride * dilation[i] : stride);
  }
  check::require_countable("windows", result.shape);
  return along.empty() ? x : pend(make_view(x.node(), result));
}

}  // namespace eglantine
