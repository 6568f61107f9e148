#include <string>

#include "verbs/build.hpp"
#include "verbs/network/convolution/convolution_parts.hpp"
#include "verbs/network/convolution/transposed_convolution.hpp"

namespace eglantine {

namespace {

using check::fail;
using verbs::SpatialAxis;

constexpr std::string_view verb = "conv_transpose";

std::string text(int64_t number) { return std::to_string(number); }

void check_shapes(const Tensor& x, const Tensor& w, const ConvTransposeOptions& options) {
  verbs::require_ranks(verb, x.shape(), w.shape(), "(channels, out / groups, kernel...)", options.groups);
  const int channel_axis = x.rank() - w.rank() + 1;
  const int64_t channels = x.shape()[channel_axis];
  if (w.shape()[0] != channels)
    fail<ShapeError>(verb, "axis ", text(channel_axis), " of ", to_string(x.shape()), " has ", text(channels),
                     " channels; the weights ", to_string(w.shape()), " take ", text(w.shape()[0]));
  if (channels % options.groups != 0)
    fail<ShapeError>(verb, "axis 0 of ", to_string(w.shape()), " has ", text(channels),
                     " channels, which do not fall into ", text(options.groups), " groups");
  int64_t results = 0;
  if (__builtin_mul_overflow(w.shape()[1], options.groups, &results))
    fail<ShapeError>(verb, text(options.groups), " groups of ", text(w.shape()[1]), " results are beyond 2^63 - 1");
  verbs::require_bias(verb, options.bias, w.shape(), 1, options.groups);
}

[[noreturn]] void fail_beyond(const Shape& x, const SpatialAxis& axis) {
  fail<ShapeError>(verb, "the result along axis ", text(axis.axis), " of ", to_string(x), " is longer than 2^63 - 1");
}

/// The places that the windows of axis.outputs elements span, with `more` behind.
int64_t span_of(const Shape& x, const SpatialAxis& axis, int64_t more) {
  int64_t span = 0, kernel = 0;
  if (axis.outputs == 0) return 0;
  if (__builtin_mul_overflow(axis.outputs - 1, axis.stride, &span) ||
      __builtin_mul_overflow(axis.window - 1, axis.dilation, &kernel) || __builtin_add_overflow(span, kernel, &span) ||
      __builtin_add_overflow(span, more, &more) || __builtin_add_overflow(more, 1, &more) ||
      __builtin_add_overflow(more, axis.stride, &span))
    fail_beyond(x, axis);
  return more;
}

SpatialAxis padded_as_same(const Shape& x, SpatialAxis axis) {
  const int64_t cut = span_of(x, axis, 0) - axis.stride * (axis.outputs - 1) - axis.stride;
  if (__builtin_mul_overflow(axis.outputs, axis.stride, &axis.length)) fail_beyond(x, axis);
  if (cut > 0) {
    axis.before = cut / 2;
    axis.after = cut - cut / 2;
  }
  return axis;
}

SpatialAxis padded(const Shape& x, SpatialAxis axis, int64_t more) {
  const int64_t span = span_of(x, axis, more);
  int64_t cut = 0;
  if (__builtin_add_overflow(axis.before, axis.after, &cut) || cut >= span)
    fail<ShapeError>(verb, "axis ", text(axis.axis), " of ", to_string(x), " has ", text(axis.outputs),
                     " elements, which the kernel spreads over ", text(span), " places; padding of (",
                     text(axis.before), ", ", text(axis.after), ") leaves none");
  axis.length = span - cut;
  return axis;
}

void check_output_padding(const SpatialAxis& axis, int64_t more, bool same) {
  if (same && more > 0)
    fail<ShapeError>(verb, "output_padding of axis ", text(axis.axis), " is ", text(more),
                     "; Padding::same gives length * stride elements and takes none");
  if (more >= axis.stride && more >= axis.dilation && more > 0)
    fail<ShapeError>(verb, "output_padding of axis ", text(axis.axis), " is ", text(more),
                     "; it is less than the stride, ", text(axis.stride), ", or than the dilation, ",
                     text(axis.dilation));
}

/// The axes of the result, whose windows are x's elements.
std::vector<SpatialAxis> result_axes(const Shape& x, int first, const Shape& w, const ConvTransposeOptions& options) {
  const verbs::WindowRule rule =
      verbs::window_rule(verb, x, first, w, options.stride, options.padding, options.dilation);
  const std::vector<int64_t> more = verbs::per_axis(verb, "output_padding", options.output_padding, x, first, 0);
  std::vector<SpatialAxis> axes;
  for (const verbs::Sides& sides : verbs::sides_of(verb, x, first, options.padding)) {
    const size_t k = axes.size();
    const int at = first + static_cast<int>(k);
    const SpatialAxis axis{.axis = at,
                           .window = rule.window[k],
                           .stride = rule.stride[k],
                           .dilation = rule.dilation[k],
                           .before = sides.before,
                           .after = sides.after,
                           .outputs = x[at]};
    check_output_padding(axis, more[k], sides.same);
    axes.push_back(sides.same ? padded_as_same(x, axis) : padded(x, axis, more[k]));
  }
  return axes;
}

}  // namespace

Tensor conv_transpose(const Tensor& x, const Tensor& w, const ConvTransposeOptions& options) {
  const DType meet = verbs::convolution_dtype(verb, x, w, options.bias), dtype = computed_type(meet);
  check_shapes(x, w, options);
  const int first = x.rank() - w.rank() + 2;
  const bool single = x.rank() < w.rank();
  const verbs::TransposedConvolution c{verb, (single ? x.unsqueeze(0) : x).astype(dtype), w.astype(dtype),
                                       result_axes(x.shape(), first, w.shape(), options), options.groups};
  check::require_countable(verb, c.shape());
  Tensor result = verbs::with_bias(verbs::transposed_convolution(c), options.bias);
  if (single) result = result.squeeze({0});
  return is_float(meet) ? result.astype(meet) : result;
}

}  // namespace eglantine
