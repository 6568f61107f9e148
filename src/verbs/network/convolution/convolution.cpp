#include "eglantine/verbs/convolution.hpp"

#include <algorithm>

#include "verbs/build.hpp"
#include "verbs/contraction.hpp"
#include "verbs/network/convolution/convolution_gradients.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/convolution/direct_convolution.hpp"
#include "verbs/network/convolution/volume_groups.hpp"
#include "verbs/own_rule.hpp"
#include "verbs/reduce/row_order.hpp"

namespace eglantine {

namespace {

using check::fail;
using verbs::channels_behind_windows;
using verbs::Convolution;
using verbs::joined;
using verbs::lengths_from;
using verbs::SpatialAxis;

std::string number(int64_t value) { return std::to_string(value); }

void check_shapes(const Tensor& x, const Tensor& w, const ConvOptions& options) {
  verbs::require_ranks("conv", x.shape(), w.shape(), "(out, channels / groups, kernel...)", options.groups);
  const int channel_axis = x.rank() - w.rank() + 1;
  const int64_t channels = x.shape()[channel_axis];
  int64_t wanted = 0;
  if (__builtin_mul_overflow(w.shape()[1], options.groups, &wanted) || wanted != channels)
    fail<ShapeError>("conv", "axis ", number(channel_axis), " of ", to_string(x.shape()), " has ", number(channels),
                     " channels; the weights ", to_string(w.shape()), " take ", number(w.shape()[1]), " in each of ",
                     number(options.groups), options.groups == 1 ? " group" : " groups");
  if (w.shape()[0] % options.groups != 0)
    fail<ShapeError>("conv", "axis 0 of ", to_string(w.shape()), " has ", number(w.shape()[0]),
                     " results, which do not fall into ", number(options.groups), " groups");
  verbs::require_bias("conv", options.bias, w.shape(), 0);
}

Tensor convolve_all(const Convolution& c) {
  const Tensor view = verbs::windows_of("conv", c.x, c.axes);  // (n, channels, windows..., kernel...)
  Axes order{1, 0};
  for (int i = 0; i < c.spatial(); ++i) order.push_back(2 + i);
  return verbs::contraction(c.w, view.permute(channels_behind_windows(view.rank(), 2, c.spatial())), 0, 1,
                            1 + c.spatial(), order);
}

/// Groups are batches: results (n, group, result, windows...).
Tensor convolve_groups(const Convolution& c) {
  const int s = c.spatial();
  const Shape spatial = lengths_from(c.x.shape(), 2), kernel = lengths_from(c.w.shape(), 2);
  const int64_t each = c.results() / c.groups;
  const Tensor x = c.x.reshape(joined({c.images(), c.groups, c.channels()}, spatial));
  const Tensor view = verbs::windows_of("conv", x, c.axes);  // (n, group, channels, windows..., kernel...)
  Axes moved = channels_behind_windows(view.rank(), 3, s), order{2, 0, 1};
  std::swap(moved[0], moved[1]);
  for (int i = 0; i < s; ++i) order.push_back(3 + i);
  const Tensor w = c.w.reshape(joined({c.groups, each, c.channels()}, kernel));
  return verbs::contraction(w, view.permute(moved), 1, 1, 1 + s, order).reshape(c.shape());
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

Tensor convolve_volumes(const Convolution& c) {
  const Shape x = joined({c.images(), c.groups, c.channels()}, lengths_from(c.x.shape(), 2)),
              w = joined({c.groups, c.results() / c.groups, c.channels()}, lengths_from(c.w.shape(), 2));
  return verbs::sums_of_volumes("conv", c.x.reshape(x), c.w.reshape(w), c.axes).reshape(c.shape());
}

Tensor convolve(const Convolution& c) {
  if (c.shape().elements() == 0 || c.channels() == 0) return zeros(c.shape(), c.x.dtype(), c.x.device());
  if (is_product(c)) return convolve_places(c);
  if (const Tensor direct = verbs::direct_convolution(c); direct.defined()) return direct;
  if (c.groups == 1) return convolve_all(c);
  return c.spatial() < 3 ? convolve_groups(c) : convolve_volumes(c);
}

/// One of the images, and of the filters, that repeat, where that saves enough.
Convolution with_results_once(const Convolution& c) {
  const Tensor w = c.groups == 1 ? verbs::with_repeats_once(c.w, {0}) : c.w;
  const Convolution once{verbs::with_repeats_once(c.x, {0}), w, c.axes, c.groups};
  if (once.x.node() == c.x.node() && w.node() == c.w.node()) return c;
  const int64_t saved = c.shape().elements() - once.shape().elements(),
                each = c.w.size() / std::max<int64_t>(1, c.results());
  return saved * each < verbs::multiplications_of_a_copy ? c : once;
}

/// Windows overlap: what adds up their cotangents in place is a convolution, too.
Tensor differentiable(const Convolution& c, const ConvOptions& options) {
  ConvOptions plain = options;
  plain.bias = Tensor();
  const auto of = [c](const Tensors& at) { return convolve({at[0], at[1], c.axes, c.groups}); };
  // Of a network's first layer nobody asks for the input's, which is as much work as the layer.
  const bool by_x = c.x.node()->is_differentiated(), by_w = c.w.node()->is_differentiated();
  const auto back = [plain, by_x, by_w](const Tensors& at, const Tensor&, const Tensor& g) {
    return Tensors{by_x ? verbs::conv_input_gradient(g, at[1], at[0].shape(), plain) : Tensor(),
                   by_w ? verbs::conv_weight_gradient(g, at[0], at[1].shape(), plain) : Tensor()};
  };
  return verbs::with_own_rule({c.x, c.w}, of, back, OwnReads::inputs);
}

}  // namespace

Tensor conv(const Tensor& x, const Tensor& w, const ConvOptions& options) {
  const DType meet = verbs::convolution_dtype("conv", x, w, options.bias), dtype = computed_type(meet);
  check_shapes(x, w, options);
  const int first = x.rank() - w.rank() + 2;
  const verbs::WindowRule rule =
      verbs::window_rule("conv", x.shape(), first, w.shape(), options.stride, options.padding, options.dilation);
  const bool single = x.rank() < w.rank();
  const Convolution c{single ? x.unsqueeze(0) : x, w, verbs::spatial_axes("conv", x.shape(), first, rule),
                      options.groups};
  check::require_countable("conv", c.shape());
  const Convolution once = with_results_once(c);
  Tensor result = differentiable({once.x.astype(dtype), once.w.astype(dtype), c.axes, c.groups}, options);
  if (once.shape() != c.shape()) result = verbs::elementwise(Op::copy, result.expand(c.shape()));
  result = verbs::with_bias(result, options.bias);
  if (single) result = result.squeeze({0});
  return is_float(meet) ? result.astype(meet) : result;
}

}  // namespace eglantine
