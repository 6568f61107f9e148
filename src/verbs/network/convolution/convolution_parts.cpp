#include "verbs/network/convolution/convolution_parts.hpp"

#include <string>

#include "verbs/build.hpp"

namespace eglantine::verbs {

namespace {

using check::fail;

}  // namespace

DType convolution_dtype(std::string_view function, const Tensor& x, const Tensor& w, const Tensor& bias) {
  check::require_same_device(function, x, w);
  DType meet = check::common_dtype(function, x.dtype(), w.dtype());
  if (bias.defined()) {
    check::require_same_device(function, x, bias);
    meet = check::common_dtype(function, meet, bias.dtype());
  }
  check::require_types(function, Types::numeric, meet);
  return meet;
}

void require_ranks(std::string_view function, const Shape& x, const Shape& w, std::string_view weights,
                   int64_t groups) {
  if (w.rank() < 3 || w.rank() > 5)
    fail<ShapeError>(function, "weights are ", std::string(weights), " of 1 to 3 spatial axes, got ", to_string(w));
  if (x.rank() != w.rank() && x.rank() + 1 != w.rank())
    fail<ShapeError>(function,
                     "takes (n, channels, spatial...), or without n, with as many spatial axes as the weights, got ",
                     to_string(x), " and ", to_string(w));
  if (groups < 1) fail<ShapeError>(function, "groups are at least 1, got ", std::to_string(groups));
}

void require_bias(std::string_view function, const Tensor& bias, const Shape& w, int axis, int64_t groups) {
  const int64_t results = w[axis] * groups;
  if (!bias.defined() || bias.shape() == Shape{results}) return;
  const std::string given = bias.rank() == 1 ? "axis 0 of the bias is " + std::to_string(bias.shape()[0])
                                             : "the bias has one axis, got " + to_string(bias.shape());
  fail<ShapeError>(function, given, "; axis ", std::to_string(axis), " of the weights ", to_string(w), " gives ",
                   std::to_string(results), " results", groups == 1 ? "" : " in " + std::to_string(groups) + " groups");
}

WindowRule window_rule(std::string_view function, const Shape& x, int first, const Shape& w, const PerAxis& stride,
                       const Pads& padding, const PerAxis& dilation) {
  for (int axis = 2; axis < w.rank(); ++axis)
    if (w[axis] == 0)
      fail<ShapeError>(function, "the kernel of axis ", std::to_string(first + axis - 2), " has 0 places; weights are ",
                       to_string(w));
  return {{w.begin() + 2, w.end()},
          per_axis(function, "stride", stride, x, first),
          per_axis(function, "dilation", dilation, x, first),
          padding};
}

Shape joined(Shape front, const Shape& behind) {
  for (int64_t length : behind) front.push_back(length);
  return front;
}

Shape lengths_from(const Shape& shape, int first) { return {shape.begin() + first, shape.end()}; }

Shape outputs_of(const std::vector<SpatialAxis>& axes) {
  Shape lengths;
  for (const SpatialAxis& axis : axes) lengths.push_back(axis.outputs);
  return lengths;
}

Tensor windows_of(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes) {
  const int first = x.rank() - static_cast<int>(axes.size());
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.rank()));
  std::vector<int64_t> sizes, strides, dilations;
  Axes along;
  Shape wide = x.shape(), all = x.shape();
  for (const SpatialAxis& axis : axes) {
    const int at = first + along.rank();
    pads[static_cast<size_t>(at)] = {axis.before, axis.behind()};
    wide[at] += axis.before + axis.behind();
    all[at] = axis.outputs;
    all.push_back(axis.window);
    along.push_back(at);
    sizes.push_back(axis.window);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
  }
  check::require_countable(function, wide);
  check::require_countable(function, all);
  return windows(wide == x.shape() ? x : x.pad(pads, 0), along, sizes, strides, dilations);
}

Axes channels_behind_windows(int rank, int first, int count) {
  Axes order;
  for (int i = 0; i < first - 1; ++i) order.push_back(i);
  for (int i = first; i < first + count; ++i) order.push_back(i);
  order.push_back(first - 1);
  for (int i = first + count; i < rank; ++i) order.push_back(i);
  return order;
}

Tensor with_bias(const Tensor& result, const Tensor& bias) {
  if (!bias.defined()) return result;
  Shape shape{result.shape()[1]};
  for (int i = 2; i < result.rank(); ++i) shape.push_back(1);
  return result + bias.astype(result.dtype()).reshape(shape);
}

}  // namespace eglantine::verbs
