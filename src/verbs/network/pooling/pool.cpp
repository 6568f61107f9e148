#include "verbs/network/pooling/pool.hpp"

#include "verbs/build.hpp"

namespace eglantine::verbs {

using check::fail;

int first_spatial(std::string_view function, std::string_view name, const Tensor& x, const PerAxis& numbers) {
  const int axes = numbers.is_for_all() ? x.rank() - 2 : numbers.numbers().rank(), first = x.rank() - axes;
  if (axes >= 1 && axes <= 3 && (first == 1 || first == 2)) return first;
  if (numbers.is_for_all())
    fail<ShapeError>(function, "takes (n, channels, spatial...) of 1 to 3 spatial axes, got ", to_string(x.shape()));
  fail<ShapeError>(function, name, " is ", to_string(numbers.numbers()), ", one number for each spatial axis; ",
                   to_string(x.shape()), " is not (n, channels, spatial...) or (channels, spatial...) of 1 to 3 such");
}

Tensor Pool::windows(float fill) const {
  std::vector<std::pair<int64_t, int64_t>> pads(static_cast<size_t>(x.rank()));
  std::vector<int64_t> sizes, strides, dilations;
  Axes along;
  Shape padded = x.shape(), all = x.shape();
  for (const SpatialAxis& axis : axes) {
    pads[static_cast<size_t>(axis.axis)] = {axis.before, axis.behind()};
    padded[axis.axis] += axis.before + axis.behind();
    all[axis.axis] = axis.outputs;
    along.push_back(axis.axis);
    all.push_back(axis.window);
    sizes.push_back(axis.window);
    strides.push_back(axis.stride);
    dilations.push_back(axis.dilation);
  }
  check::require_countable(function, padded);
  check::require_countable(function, all);
  if (all.elements() == 0) return zeros(all, x.dtype(), x.device());
  return eglantine::windows(padded == x.shape() ? x : x.pad(pads, fill), along, sizes, strides, dilations);
}

Axes Pool::reduced() const {
  Axes result;
  for (size_t k = 0; k < axes.size(); ++k) result.push_back(x.rank() + static_cast<int>(k));
  return result;
}

Shape Pool::spatial() const { return Shape(x.shape().begin() + axes.front().axis, x.shape().end()); }

void Pool::require_elements() const {
  for (const SpatialAxis& axis : axes)
    if (const std::optional<int64_t> window = verbs::window_of_padding(axis))
      fail<ShapeError>(function, "window ", std::to_string(*window), " of axis ", std::to_string(axis.axis), " of ",
                       to_string(x.shape()), " has none of its ", std::to_string(axis.length),
                       " elements, only padding of (", std::to_string(axis.before), ", ", std::to_string(axis.behind()),
                       ")");
}

Pool checked_pool(std::string_view function, const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Shape& shape = x.shape();
  const int first = first_spatial(function, "window", x, window);
  const PerAxis& stride = options.stride.empty() ? window : options.stride;
  const WindowRule rule{
      per_axis(function, "window", window, shape, first), per_axis(function, "stride", stride, shape, first),
      per_axis(function, "dilation", options.dilation, shape, first), options.padding, options.ceil_mode};
  return {function, x, spatial_axes(function, shape, first, rule)};
}

}  // namespace eglantine::verbs
