#include "verbs/network/direct_convolution.hpp"

#include "eglantine/ops.hpp"
#include "layout/divide.hpp"
#include "verbs/build.hpp"
#include "verbs/in_shape.hpp"
#include "verbs/network/taps.hpp"

namespace eglantine::verbs {

namespace {

int64_t results_of_group(const Convolution& c) { return c.results() / c.groups; }

int64_t products_of_result(const Convolution& c) { return c.w.size() / c.results(); }

/// Whether a GPU's tiles take longer for the results of one window than a map does, in multiplications: a product of
/// the map has two loads beside its own. Tiles have 32 rows or fewer that are slower, operands that are read through
/// expressions hold them to a half of their speed, and their start is as long as some steps of their sums.
bool wastes_tiles(const Convolution& c) {
  constexpr int64_t of_product = 10, rows = 32, of_step = 2, start = 16;
  const int64_t results = results_of_group(c), length = products_of_result(c);
  return results * length * of_product < round_up(results, rows) * of_step * (length + start);
}

/// Whether a map is faster. Elsewhere than on GPUs it is for few products of all results (two cores, 8 pictures of 160
/// x 160: 3 x 3 places, three results, CPU 2.4 ms and 3.2 in tiles, llvmpipe 7 and 14; 5 x 5, two results, llvmpipe 29
/// and 20).
bool is_map(const Convolution& c) {
  if (is_gpu(c.x.device())) return has_few_taps(c.axes, c.channels()) && wastes_tiles(c);
  return has_few_taps(c.axes, c.channels() * results_of_group(c));
}

/// The axes that number results: (n, groups or results of a group, windows...), or with both of them.
Shape shape_of_sums(const Convolution& c) {
  const int64_t each = results_of_group(c);
  return verbs::joined(c.groups > 1 && each > 1 ? Shape{c.images(), c.groups, each} : Shape{c.images(), c.results()},
                       c.windows());
}

/// The layout of shape_of_sums() for what (n, groups * channels, windows...) has of each group's channel `number`.
Layout channel_of(const Convolution& c, const Layout& x, int64_t number) {
  const int64_t of_channel = x.strides[1], of_group = of_channel * c.channels();
  Layout at{shape_of_sums(c), {x.strides[0]}, x.offset + number * of_channel};
  if (c.groups > 1) at.strides.push_back(of_group);
  if (results_of_group(c) > 1 || c.groups == 1) at.strides.push_back(0);
  at.strides.insert(at.strides.end(), x.strides.begin() + 2, x.strides.end());
  return at;
}

/// Of w, the same place of every result's kernel, broadcast to shape_of_sums().
Tensor weight_at(const Convolution& c, int64_t number) {
  const Shape shape = shape_of_sums(c);
  Shape results = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (axis == 0 || axis >= shape.rank() - c.spatial()) results[axis] = 1;
  return tap_of(c.w, products_of_result(c), number, results, shape);
}

/// A sum of few products, element by element: one map.
Tensor sum_of_taps(const Convolution& c) {
  const WindowPlaces taps = window_places("conv", c.x, c.axes, 0);
  Tensor result;
  int64_t number = 0;
  for (int64_t channel = 0; channel < c.channels(); ++channel)
    for (const Layout& place : taps.layouts) {
      const Tensor read = pend(make_view(taps.padded.node(), channel_of(c, place, channel))),
                   weight = weight_at(c, number++);
      result = result.defined() ? plus_product(result, read, weight) : read * weight;
    }
  // Groups and their results in two axes: what reads them as one would have every tap in memory.
  return in_shape(result, c.shape());
}

/// A longer sum, of groups of one channel with one result each.
Tensor sum_over_windows(const Convolution& c) {
  const int s = c.spatial();
  const Tensor view = windows_of("conv", c.x, c.axes);  // (n, channels, windows..., kernel...)
  Shape kernel{1, c.groups};
  Axes summed;
  for (int i = 0; i < s; ++i) kernel.push_back(1);
  for (int i = 0; i < s; ++i) kernel.push_back(c.w.shape()[2 + i]);
  for (int i = 0; i < s; ++i) summed.push_back(2 + s + i);
  return sum(view * c.w.reshape(kernel), summed).reshape(c.shape());
}

}  // namespace

Tensor direct_convolution(const Convolution& c) {
  if (is_map(c)) return sum_of_taps(c);
  if (c.channels() == 1 && c.groups > 1 && results_of_group(c) == 1) return sum_over_windows(c);
  return {};
}

}  // namespace eglantine::verbs
