#include <algorithm>
#include <limits>
#include <span>

#include "verbs/build.hpp"
#include "verbs/network/pooling.hpp"

/// Adaptive pools: s windows that cover an axis of n elements, the i-th from floor(i n / s) up to ceil((i + 1) n / s).
namespace eglantine {

namespace {

using check::fail;
using verbs::SpatialAxis;

/// The windows of one axis; i32 holds n and s where they are no plain pool's.
struct AdaptiveAxis {
  SpatialAxis longest;  ///< plain windows, of the longest one's length
  bool is_plain = true;

  int64_t first(int64_t i) const { return i * longest.length / longest.outputs; }
  int64_t last(int64_t i) const { return ((i + 1) * longest.length - 1) / longest.outputs; }
};

/// The longest window, and whether all are as long and as far apart.
void compare_windows(AdaptiveAxis& x) {
  SpatialAxis& longest = x.longest;
  longest.window = 0;
  longest.stride = longest.outputs > 1 ? x.first(1) : 1;
  for (int64_t i = 0; i < longest.outputs; ++i) {
    const int64_t window = x.last(i) - x.first(i) + 1;
    x.is_plain = x.is_plain && x.first(i) == i * longest.stride && (i == 0 || window == longest.window);
    longest.window = std::max(longest.window, window);
  }
  x.is_plain = x.is_plain && longest.stride > 0;
}

AdaptiveAxis covered(std::string_view function, const Shape& shape, int axis, int64_t s) {
  const int64_t n = shape[axis];
  AdaptiveAxis result{{axis, n, n / s, n / s, 1, 0, 0, s}};
  if (n % s == 0) return result;
  if (std::max(n, s) > std::numeric_limits<int32_t>::max())
    fail<ShapeError>(function, std::to_string(s), " windows of unequal length along axis ", std::to_string(axis),
                     " of ", to_string(shape), ": both lengths must be below 2^31");
  compare_windows(result);
  return result;
}

/// The checked arguments of an adaptive pool; no axes where the result has no elements.
struct Adaptive {
  std::string_view function;
  Tensor x;
  Shape result;
  std::vector<AdaptiveAxis> axes{};

  bool is_plain() const {
    return std::all_of(axes.begin(), axes.end(), [](const AdaptiveAxis& axis) { return axis.is_plain; });
  }
  std::vector<SpatialAxis> longest() const {
    std::vector<SpatialAxis> list;
    for (const AdaptiveAxis& axis : axes) list.push_back(axis.longest);
    return list;
  }
  Axes reduced() const { return verbs::window_axes(x.rank(), longest()); }
};

Adaptive checked(std::string_view function, const Tensor& x, const PerAxis& sizes) {
  const int first = verbs::first_spatial(function, "sizes", x, sizes);
  const std::vector<int64_t> counts = verbs::per_axis(function, "sizes", sizes, x.shape(), first, 0);
  Adaptive pool{function, x, x.shape()};
  for (int axis = first; axis < x.rank(); ++axis) {
    pool.result[axis] = counts[static_cast<size_t>(axis - first)];
    if (x.shape()[axis] == 0 && pool.result[axis] > 0)
      fail<ShapeError>(function, std::to_string(pool.result[axis]), " windows of axis ", std::to_string(axis), " of ",
                       to_string(x.shape()), ", which has no elements");
  }
  check::require_countable(function, pool.result);
  if (pool.result.elements() == 0) return pool;
  for (int axis = first; axis < x.rank(); ++axis)
    pool.axes.push_back(covered(function, x.shape(), axis, pool.result[axis]));
  return pool;
}

/// Numbers of the windows, or of the elements of one, of the k-th spatial axis, over the axes of all windows (all
/// spatial ones, and behind them those of elements).
Tensor over_windows(const Adaptive& pool, size_t k, const Tensor& numbers, bool of_elements) {
  Shape at(std::vector<int64_t>(2 * pool.axes.size(), 1));
  at[static_cast<int>(of_elements ? pool.axes.size() + k : k)] = numbers.size();
  return numbers.reshape(at);
}

/// Unequal windows along one axis, over the axes of all windows.
struct Windows {
  Tensor first, last, element;  ///< element: 0, 1, ... of the longest
};

Windows windows_of(const Adaptive& pool, size_t k) {
  const AdaptiveAxis& axis = pool.axes[k];
  std::vector<int32_t> first, last;
  for (int64_t i = 0; i < axis.longest.outputs; ++i) {
    first.push_back(static_cast<int32_t>(axis.first(i)));
    last.push_back(static_cast<int32_t>(axis.last(i)));
  }
  const auto upload = [&](const std::vector<int32_t>& numbers) {
    return over_windows(pool, k, Tensor::from(numbers, {axis.longest.outputs}, pool.x.device()), false);
  };
  const Tensor element = verbs::iota(pool.x.device(), {axis.longest.window}).astype(DType::i32);
  return {upload(first), upload(last), over_windows(pool, k, element, true)};
}

/// All windows as long as the longest one: behind its end a shorter one repeats its last element.
Tensor gathered(const Adaptive& pool, const std::vector<Windows>& windows) {
  const int first = pool.axes.front().longest.axis;
  Shape spatial(pool.x.shape().begin() + first, pool.x.shape().end()),
      flat(pool.x.shape().begin(), pool.x.shape().begin() + first);
  check::require_i32_count(pool.function, spatial);
  flat.push_back(spatial.elements());
  Tensor index = minimum(windows[0].first + windows[0].element, windows[0].last);
  for (size_t k = 1; k < windows.size(); ++k)
    index = index * static_cast<int32_t>(pool.axes[k].longest.length) +
            minimum(windows[k].first + windows[k].element, windows[k].last);
  check::require_i32_count(pool.function, index.shape());
  return take(pool.x.reshape(flat), index, first);
}

std::vector<Windows> windows_of(const Adaptive& pool) {
  std::vector<Windows> list;
  for (size_t k = 0; k < pool.axes.size(); ++k) list.push_back(windows_of(pool, k));
  return list;
}

/// The means over unequal windows, as f32.
Tensor means(const Adaptive& pool) {
  const std::vector<Windows> windows = windows_of(pool);
  Tensor counts, inside;
  for (const Windows& axis : windows) {
    const Tensor count = axis.last - axis.first + 1, within = axis.element < count;
    counts = counts.defined() ? counts * count : count;
    inside = inside.defined() ? inside & within : within;
  }
  const Tensor sums = sum(where(inside, verbs::to_f32(gathered(pool, windows)), 0.0F), pool.reduced());
  return sums / counts.reshape(Shape(pool.result.end() - pool.axes.size(), pool.result.end()));
}

}  // namespace

Tensor adaptive_avg_pool(const Tensor& x, const PerAxis& sizes) {
  const Adaptive pool = checked("adaptive_avg_pool", x, sizes);
  const DType dtype = verbs::real_dtype(x);
  if (pool.axes.empty()) return zeros(pool.result, dtype, x.device());
  if (!pool.is_plain()) return means(pool).astype(dtype);
  return mean(verbs::to_f32(verbs::pool_windows(pool.function, x, pool.longest(), 0)), pool.reduced()).astype(dtype);
}

Tensor adaptive_max_pool(const Tensor& x, const PerAxis& sizes) {
  const Adaptive pool = checked("adaptive_max_pool", x, sizes);
  if (pool.axes.empty()) return zeros(pool.result, x.dtype(), x.device());
  const Tensor windows =
      pool.is_plain() ? verbs::pool_windows(pool.function, x, pool.longest(), 0) : gathered(pool, windows_of(pool));
  return max(windows, pool.reduced());
}

}  // namespace eglantine
