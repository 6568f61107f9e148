#include "eglantine/verbs/convolution.hpp"

#include <algorithm>

#include "verbs/build.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/spatial.hpp"
#include "verbs/network/taps.hpp"

namespace eglantine {

namespace {

using check::fail;
using verbs::SpatialAxis;

std::string number(int64_t value) { return std::to_string(value); }

/// x with n, and w, as what is computed with.
struct Convolution {
  Tensor x, w;
  std::vector<SpatialAxis> axes;
  int64_t groups;

  int spatial() const { return static_cast<int>(axes.size()); }
  int64_t images() const { return x.shape()[0]; }
  int64_t results() const { return w.shape()[0]; }
  int64_t channels() const { return w.shape()[1]; }  ///< of a group
  Shape windows() const {
    Shape lengths;
    for (const SpatialAxis& axis : axes) lengths.push_back(axis.outputs);
    return lengths;
  }
  Shape shape() const { return joined({images(), results()}, windows()); }

  static Shape joined(Shape front, const Shape& behind) {
    for (int64_t length : behind) front.push_back(length);
    return front;
  }
};

void check_shapes(const Tensor& x, const Tensor& w, const ConvOptions& options) {
  const std::string both = to_string(x.shape()) + " and " + to_string(w.shape());
  if (w.rank() < 3 || w.rank() > 5)
    fail<ShapeError>("conv", "weights are (out, channels / groups, kernel...) of 1 to 3 spatial axes, got ",
                     to_string(w.shape()));
  if (x.rank() != w.rank() && x.rank() + 1 != w.rank())
    fail<ShapeError>(
        "conv", "takes (n, channels, spatial...), or without n, with as many spatial axes as the weights, got ", both);
  if (options.groups < 1) fail<ShapeError>("conv", "groups are at least 1, got ", number(options.groups));
  const int64_t channels = x.shape()[x.rank() - w.rank() + 1];
  int64_t wanted = 0;
  if (__builtin_mul_overflow(w.shape()[1], options.groups, &wanted) || wanted != channels)
    fail<ShapeError>("conv", "axis ", number(x.rank() - w.rank() + 1), " of ", to_string(x.shape()), " has ",
                     number(channels), " channels; the weights ", to_string(w.shape()), " take ", number(w.shape()[1]),
                     " in each of ", number(options.groups), options.groups == 1 ? " group" : " groups");
  if (w.shape()[0] % options.groups != 0)
    fail<ShapeError>("conv", "axis 0 of ", to_string(w.shape()), " has ", number(w.shape()[0]),
                     " results, which do not fall into ", number(options.groups), " groups");
  for (int axis = 2; axis < w.rank(); ++axis)
    if (w.shape()[axis] == 0)
      fail<ShapeError>("conv", "the kernel of axis ", number(x.rank() - w.rank() + axis), " has 0 places; weights are ",
                       to_string(w.shape()));
  if (options.bias.defined() && options.bias.shape() != Shape{w.shape()[0]})
    fail<ShapeError>("conv", "the bias is ", to_string(options.bias.shape()), "; weights ", to_string(w.shape()),
                     " take ", to_string(Shape{w.shape()[0]}));
}

DType check_types(const Tensor& x, const Tensor& w, const Tensor& bias) {
  check::require_same_device("conv", x, w);
  DType meet = check::common_dtype("conv", x.dtype(), w.dtype());
  if (bias.defined()) {
    check::require_same_device("conv", x, bias);
    meet = check::common_dtype("conv", meet, bias.dtype());
  }
  check::require_types("conv", Types::numeric, meet);
  return meet;
}

/// x's windows: (n, channels, windows..., kernel...). x may have its channels in two axes.
Tensor windows_of(const Tensor& x, const std::vector<SpatialAxis>& axes) {
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
  check::require_countable("conv", wide);
  check::require_countable("conv", all);
  return windows(wide == x.shape() ? x : x.pad(pads, 0), along, sizes, strides, dilations);
}

/// Axes [0, rank) with those of windows, `count` of them from `first` on, before the channels at `first` - 1.
Axes channels_behind_windows(int rank, int first, int count) {
  Axes order;
  for (int i = 0; i < first - 1; ++i) order.push_back(i);
  for (int i = first; i < first + count; ++i) order.push_back(i);
  order.push_back(first - 1);
  for (int i = first + count; i < rank; ++i) order.push_back(i);
  return order;
}

Tensor convolve_all(const Convolution& c) {
  const Tensor view = windows_of(c.x, c.axes);  // (n, channels, windows..., kernel...)
  Axes order{1, 0};
  for (int i = 0; i < c.spatial(); ++i) order.push_back(2 + i);
  return verbs::contraction(c.w, view.permute(channels_behind_windows(view.rank(), 2, c.spatial())), 0, 1,
                            1 + c.spatial(), order);
}

/// Groups are batches: results (n, group, result, windows...).
Tensor convolve_groups(const Convolution& c) {
  const int s = c.spatial();
  const Shape spatial(c.x.shape().begin() + 2, c.x.shape().end()), kernel(c.w.shape().begin() + 2, c.w.shape().end());
  const int64_t each = c.results() / c.groups;
  const Tensor x = c.x.reshape(Convolution::joined({c.images(), c.groups, c.channels()}, spatial));
  const Tensor view = windows_of(x, c.axes);  // (n, group, channels, windows..., kernel...)
  Axes moved = channels_behind_windows(view.rank(), 3, s), order{2, 0, 1};
  std::swap(moved[0], moved[1]);
  for (int i = 0; i < s; ++i) order.push_back(3 + i);
  const Tensor w = c.w.reshape(Convolution::joined({c.groups, each, c.channels()}, kernel));
  return verbs::contraction(w, view.permute(moved), 1, 1, 1 + s, order).reshape(c.shape());
}

/// The weights of a channel, as windows of which there is one.
std::vector<Tensor> weights_of(const Convolution& c) {
  std::vector<SpatialAxis> axes;
  for (const SpatialAxis& axis : c.axes) axes.push_back({.length = axis.window, .window = axis.window, .outputs = 1});
  return verbs::taps_of("conv", c.w.squeeze({1}), axes, 0);
}

/// A window of few elements, element by element.
Tensor convolve_taps(const Convolution& c) {
  const std::vector<Tensor> taps = verbs::taps_of("conv", c.x, c.axes, 0), weights = weights_of(c);
  const auto product = [&](size_t i) { return taps[i] * weights[i]; };
  Tensor result = product(0);
  for (size_t i = 1; i < taps.size(); ++i) result = result + product(i);
  return result;
}

/// A channel of x for each result: a sum over the window.
Tensor convolve_depthwise(const Convolution& c) {
  if (verbs::has_few_taps(c.axes)) return convolve_taps(c);
  const Tensor view = windows_of(c.x, c.axes);
  Shape kernel{1, c.results()};
  Axes summed;
  for (int i = 0; i < c.spatial(); ++i) {
    kernel.push_back(1);
    summed.push_back(2 + c.spatial() + i);
  }
  for (int i = 0; i < c.spatial(); ++i) kernel.push_back(c.w.shape()[2 + i]);
  return sum(view * c.w.reshape(kernel), summed);
}

/// Windows of one element, side by side: a product of matrices in memory.
bool is_product(const Convolution& c) {
  return c.groups == 1 && std::all_of(c.axes.begin(), c.axes.end(), [](const SpatialAxis& axis) {
           return axis.window == 1 && axis.stride == 1 && axis.outputs == axis.length;
         });
}

Tensor convolve_places(const Convolution& c) {
  const int64_t places = c.windows().elements();
  return matmul(c.w.reshape({c.results(), c.channels()}), c.x.reshape({c.images(), c.channels(), places}))
      .reshape(c.shape());
}

/// More axes than a tensor has: each group by itself.
Tensor convolve_each_group(const Convolution& c, Tensor (*convolve)(const Convolution&)) {
  const std::vector<Tensor> x = split(c.x, c.groups, 1), w = split(c.w, c.groups, 0);
  std::vector<Tensor> parts;
  for (size_t i = 0; i < x.size(); ++i) parts.push_back(convolve({x[i], w[i], c.axes, 1}));
  return concatenate(parts, 1);
}

Tensor convolve(const Convolution& c) {
  if (c.shape().elements() == 0 || c.channels() == 0) return zeros(c.shape(), c.x.dtype(), c.x.device());
  if (is_product(c)) return convolve_places(c);
  if (c.groups == 1) return convolve_all(c);
  if (c.channels() == 1 && c.results() == c.groups) return convolve_depthwise(c);
  return c.spatial() < 3 ? convolve_groups(c) : convolve_each_group(c, convolve_all);
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& w, const ConvOptions& options) {
  const DType meet = check_types(x, w, options.bias), dtype = computed_type(meet);
  check_shapes(x, w, options);
  const int first = x.rank() - w.rank() + 2;
  const verbs::WindowRule rule{{w.shape().begin() + 2, w.shape().end()},
                               verbs::per_axis("conv", "stride", options.stride, x.shape(), first),
                               verbs::per_axis("conv", "dilation", options.dilation, x.shape(), first),
                               options.padding};
  const bool single = x.rank() < w.rank();
  const Convolution c{(single ? x.unsqueeze(0) : x).astype(dtype), w.astype(dtype),
                      verbs::spatial_axes("conv", x.shape(), first, rule), options.groups};
  check::require_countable("conv", c.shape());
  Tensor result = convolve(c);
  if (options.bias.defined()) {
    Shape shape{c.results()};
    for (int i = 0; i < c.spatial(); ++i) shape.push_back(1);
    result = result + options.bias.astype(dtype).reshape(shape);
  }
  if (single) result = result.squeeze({0});
  return is_float(meet) ? result.astype(meet) : result;
}

}  // namespace eglantine
