#include "verbs/network/convolution/direct_convolution.hpp"

#include "eglantine/ops.hpp"
#include "graph/graph_lock.hpp"
#include "graph/product_choice.hpp"
#include "layout/divide.hpp"
#include "verbs/build.hpp"
#include "verbs/composite.hpp"
#include "verbs/in_shape.hpp"
#include "verbs/network/spatial.hpp"
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

/// How many products a map's result has at most on a GPU: of one channel a group, or one for one result, a window's
/// lines share their vectors, where sum_over_windows() reads each element by itself (7 x 7 places 1,123 us, for 8
/// million results), and a tile has a row (for 35 million 5,650 us).
int64_t most_taps(const Convolution& c) { return c.channels() == 1 && (c.groups > 1 || c.results() == 1) ? 128 : 32; }

/// Whether a map is faster. Elsewhere than on GPUs it is for few products of all results (two cores, 8 pictures of 160
/// x 160: 3 x 3 places, three results, CPU 2.4 ms and 3.2 in tiles, llvmpipe 7 and 14; 5 x 5, two results, llvmpipe 29
/// and 20).
bool is_map(const Convolution& c) {
  if (is_gpu(c.x.device())) return has_few_taps(c.axes, c.channels(), most_taps(c)) && wastes_tiles(c);
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

/// shape_of_sums() of what is the same for all images and windows.
Shape shape_of_results(const Convolution& c, const Shape& sums) {
  Shape results = sums;
  for (int axis = 0; axis < sums.rank(); ++axis)
    if (axis == 0 || axis >= sums.rank() - c.spatial()) results[axis] = 1;
  return results;
}

/// The sum of few products as one node.
Tensor stencil_of(const Convolution& c, const WindowPlaces& windows) {
  nodes::Stencil sum{windows.padded.node(), c.w.node(), channel_of(c, windows.first, 0), {}, {c.channels()}, {}};
  sum.factor_at = layout_of_taps(products_of_result(c), shape_of_results(c, sum.at.shape), sum.at.shape);
  sum.taps = verbs::joined(sum.taps, windows.places);
  sum.steps.push_back(windows.first.strides[1]);
  for (const int64_t step : windows.steps) sum.steps.push_back(step);
  return pend(make_stencil(std::move(sum)));
}

/// The same, product by product.
Tensor sum_of_products(const Convolution& c, const WindowPlaces& windows) {
  const Shape shape = shape_of_sums(c), results = shape_of_results(c, shape);
  Tensor result;
  const int64_t places = windows.places.elements();
  for (int64_t number = 0; number < products_of_result(c); ++number) {
    const Layout read_at = channel_of(c, windows.at(number % places), number / places);
    const Tensor read = pend(make_view(windows.padded.node(), read_at)),
                 weight = tap_of(c.w, products_of_result(c), number, results, shape);
    result = result.defined() ? plus_product(result, read, weight) : read * weight;
  }
  return result;
}

/// x, or on a GPU a copy in the order of its axes where neighbouring windows would read different lines of memory.
Tensor in_order(const Tensor& x) {
  const bool scattered = is_gpu(x.device()) && [&] {
    const GraphLock lock;
    return is_scattered(*x.node());
  }();
  return scattered ? pend(make_elementwise(Op::copy, x.dtype(), {x.node(), nullptr, nullptr})) : x;
}

NodePtr products_parts(const nodes::Composite& of) {
  const std::vector<int64_t> axes(of.numbers.begin() + 1, of.numbers.end());
  const Convolution c{Tensor(of.args[0]), Tensor(of.args[1]), axes_of_words(axes), of.numbers[0]};
  return sum_of_products(c, window_places("conv", in_order(c.x), c.axes, 0)).node();
}

/// The same as one node to the caller, who would make three for each product.
Tensor products_as_one(const Convolution& c) {
  std::vector<int64_t> numbers{c.groups};
  for (const int64_t word : words_of(c.axes)) numbers.push_back(word);
  return composite(c.x.dtype(), shape_of_sums(c),
                   {products_parts, {c.x.node(), c.w.node()}, std::move(numbers), 3 * products_of_result(c)});
}

/// A sum of few products, element by element: one map.
Tensor sum_of_taps(const Convolution& c) {
  const WindowPlaces windows = window_places("conv", in_order(c.x), c.axes, 0);
  const bool one_node = can_be_stencil(windows) && can_be_in_stencil(c.w) && products_of_result(c) > 1;
  // Groups and their results in two axes: what reads them as one would have every tap in memory.
  return in_shape(one_node ? stencil_of(c, windows) : products_as_one(c), c.shape());
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

/// Whether a GPU computes so few results of each window as a product of few rows, which reads four neighbouring windows
/// (of one picture) for all of them: tiles would be mostly empty, and read each element as often as full ones.
bool is_product_of_few(const Convolution& c, bool is_short = false) {
  constexpr int64_t most = 12;
  const bool plain = c.groups == 1 && c.x.dtype() == DType::f32 && c.w.dtype() == DType::f32;
  return is_gpu(c.x.device()) && plain && c.results() <= most && (c.images() == 1 || c.windows().elements() % 4 == 0) &&
         has_few_columns(c.results(), c.windows().elements(), products_of_result(c), is_short);
}

/// Whether a product of few is faster than a map is, though sums are short: where neighbouring windows begin apart, and
/// a map loads each element singly for each result. Of windows enough that each of their vectors is an invocation's.
bool is_short_product_of_few(const Convolution& c) {
  constexpr int64_t fewest_results = 4, fewest_windows = int64_t{1} << 20;
  const int64_t windows = c.images() * c.windows().elements(), k = products_of_result(c);
  return c.axes.back().stride > 1 && c.results() >= fewest_results && windows >= fewest_windows &&
         windows * k > c.x.size() && is_product_of_few(c, true);
}

Tensor product_of_windows(const Convolution& c) {
  const int s = c.spatial();
  const Tensor view = windows_of("conv", in_order(c.x), c.axes);  // (n, channels, windows..., kernel...)
  Axes order{0, 1};
  for (int i = 0; i < s; ++i) order.push_back(2 + s + i);
  for (int i = 0; i < s; ++i) order.push_back(2 + i);
  const int64_t k = products_of_result(c);
  const Tensor windows = view.permute(order).reshape({c.images(), k, c.windows().elements()});
  return matmul(c.w.reshape({1, c.results(), k}), windows).reshape(c.shape());
}

}  // namespace

Tensor direct_convolution(const Convolution& c) {
  if (is_short_product_of_few(c)) return product_of_windows(c);
  if (is_map(c)) return sum_of_taps(c);
  if (is_product_of_few(c)) return product_of_windows(c);
  if (c.channels() == 1 && c.groups > 1 && results_of_group(c) == 1) return sum_over_windows(c);
  return {};
}

}  // namespace eglantine::verbs
