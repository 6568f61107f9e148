#include "verbs/network/pooling.hpp"

#include <cmath>
#include <limits>

#include "verbs/build.hpp"

/// Pools: reductions over windows of the padded tensor, which their kernels read in place.
namespace eglantine {

using check::fail;
using verbs::SpatialAxis;

namespace verbs {

int first_spatial(std::string_view function, std::string_view name, const Tensor& x, const PerAxis& numbers) {
  const int axes = numbers.is_for_all() ? x.rank() - 2 : numbers.numbers().rank(), first = x.rank() - axes;
  if (axes >= 1 && axes <= 3 && (first == 1 || first == 2)) return first;
  if (numbers.is_for_all())
    fail<ShapeError>(function, "takes (n, channels, spatial...) of 1 to 3 spatial axes, got ", to_string(x.shape()));
  fail<ShapeError>(function, name, " is ", to_string(numbers.numbers()), ", one number for each spatial axis; ",
                   to_string(x.shape()), " is not (n, channels, spatial...) or (channels, spatial...) of 1 to 3 such");
}

Tensor pool_windows(std::string_view function, const Tensor& x, const std::vector<SpatialAxis>& axes, float fill) {
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
  return windows(padded == x.shape() ? x : x.pad(pads, fill), along, sizes, strides, dilations);
}

Axes window_axes(int rank, const std::vector<SpatialAxis>& axes) {
  Axes result;
  for (size_t k = 0; k < axes.size(); ++k) result.push_back(rank + static_cast<int>(k));
  return result;
}

float lowest_of(DType dtype) {
  if (is_float(dtype)) return -std::numeric_limits<float>::infinity();
  if (dtype == DType::i32) return static_cast<float>(std::numeric_limits<int32_t>::min());
  return dtype == DType::i8 ? std::numeric_limits<int8_t>::min() : 0;
}

}  // namespace verbs

namespace {

/// The checked arguments of a pool.
struct Pool {
  std::string_view function;
  Tensor x;
  std::vector<SpatialAxis> axes;

  Tensor windows(float fill) const { return verbs::pool_windows(function, x, axes, fill); }
  Axes reduced() const { return verbs::window_axes(x.rank(), axes); }

  void require_elements() const {
    for (const SpatialAxis& axis : axes)
      if (const std::optional<int64_t> window = verbs::window_of_padding(axis))
        fail<ShapeError>(function, "window ", std::to_string(*window), " of axis ", std::to_string(axis.axis), " of ",
                         to_string(x.shape()), " has none of its ", std::to_string(axis.length),
                         " elements, only padding of (", std::to_string(axis.before), ", ",
                         std::to_string(axis.behind()), ")");
  }
};

Pool checked(std::string_view function, const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Shape& shape = x.shape();
  const int first = verbs::first_spatial(function, "window", x, window);
  const PerAxis& stride = options.stride.empty() ? window : options.stride;
  const verbs::WindowRule rule{verbs::per_axis(function, "window", window, shape, first),
                               verbs::per_axis(function, "stride", stride, shape, first),
                               verbs::per_axis(function, "dilation", options.dilation, shape, first), options.padding,
                               options.ceil_mode};
  return {function, x, verbs::spatial_axes(function, shape, first, rule)};
}

Tensor largest(const Pool& pool) {
  pool.require_elements();
  return max(pool.windows(verbs::lowest_of(pool.x.dtype())), pool.reduced());
}

/// x's places numbered from the last, which is 0, in windows as x's; -1 in the padding.
Tensor places_from_last(const Pool& pool) {
  const int first = pool.axes.front().axis;
  const Shape spatial(pool.x.shape().begin() + first, pool.x.shape().end());
  check::require_i32_count(pool.function, spatial);
  const auto last = static_cast<int32_t>(spatial.elements() - 1);
  std::vector<SpatialAxis> axes = pool.axes;
  for (SpatialAxis& axis : axes) axis.axis -= first;
  return verbs::pool_windows(pool.function, last - verbs::iota(pool.x.device(), spatial).astype(DType::i32), axes, -1);
}

/// The first place in each window that holds its largest element.
Tensor places_of(const Pool& pool, const Tensor& values) {
  Shape kept = values.shape();
  for (size_t k = 0; k < pool.axes.size(); ++k) kept.push_back(1);
  const Tensor elements = pool.windows(verbs::lowest_of(pool.x.dtype()));
  Tensor found = elements == values.reshape(kept);
  if (is_float(pool.x.dtype())) found = found | isnan(elements);  // where that is the largest
  const Tensor places = places_from_last(pool);
  const Shape spatial(pool.x.shape().begin() + pool.axes.front().axis, pool.x.shape().end());
  return static_cast<int32_t>(spatial.elements() - 1) - max(where(found, places, -1), pool.reduced());
}

/// Which places of a padded axis count: from `low` up to `high`.
struct Counted {
  int64_t low, high;
  bool holds_all(const SpatialAxis& axis) const { return low == 0 && axis.span() <= high; }
};

/// How many of the elements of each window of an axis count, as f32 that broadcasts with the pool's result.
Tensor counts_of(const Pool& pool, const SpatialAxis& axis, const Counted& counted) {
  if (axis.span() + axis.dilation + axis.stride > std::numeric_limits<int32_t>::max())
    fail<ShapeError>(pool.function, "axis ", std::to_string(axis.axis), " of ", to_string(pool.x.shape()), " spans ",
                     std::to_string(axis.span()), " places with its padding; they are counted in i32");
  const auto i32 = [](int64_t number) { return static_cast<int32_t>(number); };
  const int32_t dilation = i32(axis.dilation), low = i32(counted.low), high = i32(counted.high);
  const Tensor start = verbs::iota(pool.x.device(), {axis.outputs}).astype(DType::i32) * i32(axis.stride);
  // Elements in front of `high`, less those in front of `low`.
  const Tensor counts = minimum((high + dilation - 1 - start) / dilation, i32(axis.window)) -
                        maximum(low + dilation - 1 - start, 0) / dilation;
  Shape along(std::vector<int64_t>(static_cast<size_t>(pool.x.rank()), 1));
  along[axis.axis] = axis.outputs;
  return counts.astype(DType::f32).reshape(along);
}

/// What the sums of all windows are divided by.
Operand count_of(const Pool& pool, bool count_padding) {
  double same = 1;
  std::optional<Tensor> product;
  for (const SpatialAxis& axis : pool.axes) {
    const Counted counted = count_padding ? Counted{0, axis.padded()} : Counted{axis.before, axis.before + axis.length};
    if (counted.holds_all(axis)) {
      same *= static_cast<double>(axis.window);
      continue;
    }
    const Tensor counts = counts_of(pool, axis, counted);
    product = product ? *product * counts : counts;
  }
  return product ? Operand(*product * static_cast<float>(same)) : Operand(static_cast<float>(same));
}

bool is_float_with_reciprocal(double p) {
  return std::isnormal(static_cast<float>(p)) && std::isnormal(static_cast<float>(1 / p));
}

}  // namespace

Tensor max_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  return largest(checked("max_pool", x, window, options));
}

std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = checked("max_pool_with_indices", x, window, options);
  const Tensor values = largest(pool);
  return {values, places_of(pool, values)};
}

Tensor avg_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = checked("avg_pool", x, window, options);
  if (!options.count_padding) pool.require_elements();
  const Tensor total = sum(verbs::to_f32(pool.windows(0)), pool.reduced());
  return div(total, count_of(pool, options.count_padding)).astype(verbs::real_dtype(x));
}

Tensor lp_pool(const Tensor& x, double p, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = checked("lp_pool", x, window, options);
  if (!(p > 0) || !is_float_with_reciprocal(p))
    fail<Error>("lp_pool", "p is ", Scalar(p).text(),
                "; it is positive, and a number that f32 can hold together with its reciprocal");
  const Tensor elements = verbs::to_f32(pool.windows(0));
  const auto power = static_cast<float>(p);
  const Tensor powers = p == 1 ? elements : p == 2 ? square(elements) : pow(elements, power);
  const Tensor total = sum(powers, pool.reduced());
  const Tensor y = p == 1 ? total : p == 2 ? sqrt(total) : pow(total, static_cast<float>(1 / p));
  return y.astype(verbs::real_dtype(x));
}

}  // namespace eglantine
