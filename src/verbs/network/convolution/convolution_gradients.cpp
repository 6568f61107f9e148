#include "verbs/network/convolution/convolution_gradients.hpp"

#include "eglantine/ops.hpp"
#include "layout/divide.hpp"
#include "verbs/build.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/convolution/transposed_convolution.hpp"
#include "verbs/network/convolution/volume_groups.hpp"

namespace eglantine::verbs {

namespace {

constexpr std::string_view verb = "conv";

std::vector<SpatialAxis> axes_of(const Shape& x, const Shape& w, const ConvOptions& options) {
  const int first = x.rank() - w.rank() + 2;
  return spatial_axes(verb, x, first,
                      window_rule(verb, x, first, w, options.stride, options.padding, options.dilation));
}

/// Axes [first, first + count).
Axes counted(int first, int count) {
  Axes axes;
  for (int i = first; i < first + count; ++i) axes.push_back(i);
  return axes;
}

Axes joined(Axes front, const Axes& behind) {
  for (int64_t axis : behind) front.push_back(axis);
  return front;
}

/// Cotangents (n, out, windows...) of the convolution of x (n, channels, spatial...), of w's shape.
struct WeightGradient {
  Tensor gradient, x;
  Shape w;
  std::vector<SpatialAxis> axes;
  int64_t groups;

  int spatial() const { return static_cast<int>(axes.size()); }
  int64_t images() const { return x.shape()[0]; }
  int64_t channels() const { return w[1]; }          ///< of a group
  int64_t results() const { return w[0] / groups; }  ///< of a group
};

Tensor gradient_of_all(const WeightGradient& g) {
  const int s = g.spatial();
  const Tensor x = windows_of(verb, g.x, g.axes);  // (n, channels, windows..., kernel...)
  const Axes rows = joined({1, 0}, counted(2, s)), columns = joined(joined({1}, counted(2 + s, s)), {0});
  return contraction(g.gradient.permute(rows), x.permute(joined(columns, counted(2, s))), 0, 1, 1 + s,
                     counted(0, 2 + s));
}

/// Groups are batches.
Tensor gradient_of_groups(const WeightGradient& g) {
  const int s = g.spatial();
  const Tensor gradient =
      g.gradient.reshape(verbs::joined({g.images(), g.groups, g.results()}, lengths_from(g.gradient.shape(), 2)));
  const Tensor parts = g.x.reshape(verbs::joined({g.images(), g.groups, g.channels()}, lengths_from(g.x.shape(), 2)));
  const Tensor x = windows_of(verb, parts, g.axes);  // (n, group, channels, windows..., kernel...)
  const Axes rows = joined({1, 2, 0}, counted(3, s)), columns = joined(joined({1, 2}, counted(3 + s, s)), {0});
  return contraction(gradient.permute(rows), x.permute(joined(columns, counted(3, s))), 1, 1, 1 + s, counted(0, 3 + s))
      .reshape(g.w);
}

/// More axes than a tensor has: each group by itself.
Tensor gradient_of_each_group(const WeightGradient& g) {
  const std::vector<Tensor> gradient = split(g.gradient, g.groups, 1), x = split(g.x, g.groups, 1);
  Shape w = g.w;
  w[0] = g.results();
  std::vector<Tensor> parts;
  for (size_t i = 0; i < x.size(); ++i) parts.push_back(gradient_of_all({gradient[i], x[i], w, g.axes, 1}));
  return concatenate(parts, 0);
}

Tensor row_sums(const Tensor& x, const Axes& summed) {
  return pend(make_reduce(Reduction::sum, x.dtype(), x.node(), {layout::ReduceTree::row, summed}));
}

/// For each pair of a group's result and channel: rows of all its windows, for each place of the kernel.
Tensor gradient_of_pairs(const WeightGradient& g) {
  const int s = g.spatial();
  const bool depthwise = g.channels() == 1 && g.results() == 1;
  const Shape of_x = depthwise ? Shape{g.images(), g.groups} : Shape{g.images(), g.groups, 1, g.channels()};
  Shape windows = depthwise ? of_x : Shape{g.images(), g.groups, g.results(), 1};
  const int first = windows.rank();
  const Tensor x = windows_of(verb, g.x.reshape(verbs::joined(of_x, lengths_from(g.x.shape(), 2))), g.axes);
  for (int i = 0; i < s; ++i) windows.push_back(g.gradient.shape()[2 + i]);
  for (int i = 0; i < s; ++i) windows.push_back(1);
  const Axes summed = joined({0}, counted(first, s));
  const Tensor products = g.gradient.reshape(windows) * x;
  return row_sums(products, summed).reshape(g.w);
}

/// The same of three spatial axes, for each place along the first one: images and its windows are one axis then, in a
/// copy that has the padding.
Tensor gradient_of_volume_pairs(const WeightGradient& g) {
  const int64_t images = g.images() * g.axes[0].outputs;
  const auto groups_first = [&](const Tensor& x, int64_t rows, int64_t columns) {
    return x.permute({1, 0, 2, 3, 4}).reshape({g.groups, rows, columns, images, x.shape()[3], x.shape()[4]});
  };
  const Tensor gradient = groups_first(g.gradient, g.results(), 1).unsqueeze(6).unsqueeze(7);
  std::vector<SpatialAxis> axes(g.axes.begin() + 1, g.axes.end());
  std::vector<std::pair<int64_t, int64_t>> pads(3);
  for (SpatialAxis& axis : axes) {
    pads.emplace_back(axis.before, axis.behind());
    axis.length += axis.before + axis.behind();
    axis.before = 0;
  }
  const Tensor padded = g.x.pad(pads, 0);
  std::vector<Tensor> places;
  for (int64_t place = 0; place < g.axes[0].window; ++place) {
    const Tensor x = at_place(padded, 2, g.axes[0], place);
    const Tensor none = zeros({g.groups, g.results(), g.channels(), g.w[3], g.w[4]}, g.x.dtype(), g.x.device());
    const auto sums = [&] {
      return row_sums(gradient * windows_of(verb, groups_first(x, 1, g.channels()), axes), {3, 4, 5});
    };
    places.push_back((x.defined() ? sums() : none).unsqueeze(3));
  }
  return concatenate(places, 3).reshape(g.w);
}

/// Whether that takes a GPU less time than tiles of a contraction, which are of 16 rows or more and a multiple of 64
/// columns: in products, of which tiles so small make 1.7 in the time of one here. Windows side by side share vectors.
bool is_faster_in_pairs(const WeightGradient& g) {
  constexpr int64_t most = 16, least_rows = 16, least_columns = 64, tenths = 17;
  const int64_t columns = g.w.elements() / g.w[0];
  if (!is_gpu(g.x.device()) || g.axes.back().stride > 1) return false;
  return g.results() <= most && g.channels() <= most &&
         tenths * g.results() * columns < 10 * least_rows * round_up(columns, least_columns);
}

Tensor weight_gradient(const WeightGradient& g) {
  if (g.w.elements() == 0 || g.gradient.size() == 0) return zeros(g.w, g.x.dtype(), g.x.device());
  if (g.groups == 1) return gradient_of_all(g);
  if (g.channels() == 1 && g.results() == 1) return gradient_of_pairs(g);
  if (is_faster_in_pairs(g)) return g.spatial() < 3 ? gradient_of_pairs(g) : gradient_of_volume_pairs(g);
  return g.spatial() < 3 ? gradient_of_groups(g) : gradient_of_each_group(g);
}

/// With an axis of one image in front where there is none.
Tensor batched(const Tensor& x, bool single) { return single ? x.unsqueeze(0) : x; }

}  // namespace

Tensor conv_input_gradient(const Tensor& gradient, const Tensor& w, const Shape& x_shape, const ConvOptions& options) {
  const DType meet = convolution_dtype(verb, gradient, w, {}), dtype = computed_type(meet);
  const bool single = x_shape.rank() < w.rank();
  Tensor result = transposed_convolution({verb, batched(gradient, single).astype(dtype), w.astype(dtype),
                                          axes_of(x_shape, w.shape(), options), options.groups});
  if (single) result = result.squeeze({0});
  return is_float(meet) ? result.astype(meet) : result;
}

Tensor conv_weight_gradient(const Tensor& gradient, const Tensor& x, const Shape& w_shape, const ConvOptions& options) {
  const DType meet = convolution_dtype(verb, gradient, x, {}), dtype = computed_type(meet);
  const bool single = x.rank() < w_shape.rank();
  const Tensor result = weight_gradient({batched(gradient, single).astype(dtype), batched(x, single).astype(dtype),
                                         w_shape, axes_of(x.shape(), w_shape, options), options.groups});
  return is_float(meet) ? result.astype(meet) : result;
}

}  // namespace eglantine::verbs
