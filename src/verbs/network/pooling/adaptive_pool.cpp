#include <algorithm>
#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/pooling/pool.hpp"

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
  int first() const { return axes.front().longest.axis; }  ///< spatial axis
  Shape spatial() const { return Shape(x.shape().begin() + first(), x.shape().end()); }
  /// Of plain windows.
  verbs::Pool plain() const {
    verbs::Pool pool{function, x, {}};
    for (const AdaptiveAxis& axis : axes) pool.axes.push_back(axis.longest);
    return pool;
  }
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

/// Each number of a list with each of another, the latter's in turn.
template <class T, class Join>
std::vector<T> product(const std::vector<T>& list, int64_t count, Join join) {
  std::vector<T> result;
  result.reserve(list.size() * static_cast<size_t>(count));
  for (const T& number : list)
    for (int64_t i = 0; i < count; ++i) result.push_back(join(number, i));
  return result;
}

/// Axes (windows, elements) for each spatial axis: all windows as long as the longest, in which shorter ones repeat
/// their last element.
Shape shape_of_windows(const Adaptive& pool) {
  check::require_i32_count(pool.function, pool.spatial());
  Shape shape;
  for (const AdaptiveAxis& axis : pool.axes)
    for (int64_t length : {axis.longest.outputs, axis.longest.window}) shape.push_back(length);
  check::require_i32_count(pool.function, shape);
  return shape;
}

/// x's elements in unequal windows; behind its axes in front the shape of windows.
Tensor gathered(const Adaptive& pool, const Shape& windows) {
  const int first = pool.first();
  std::vector<int32_t> places{0};
  for (const AdaptiveAxis& axis : pool.axes) {
    const int64_t length = axis.longest.length, window = axis.longest.window;
    places = product(places, axis.longest.outputs * window, [&](int32_t place, int64_t i) {
      const int64_t at = std::min(axis.first(i / window) + i % window, axis.last(i / window));
      return static_cast<int32_t>(place * length + at);
    });
  }
  Shape flat(pool.x.shape().begin(), pool.x.shape().begin() + first);
  flat.push_back(pool.spatial().elements());
  return take(pool.x.reshape(flat), Tensor::from(places, windows, pool.x.device()), first);
}

Axes elements_of_windows(const Adaptive& pool) {
  Axes axes;
  for (const AdaptiveAxis& axis : pool.axes) axes.push_back(2 * axis.longest.axis - pool.first() + 1);
  return axes;
}

/// The means over unequal windows, as f32.
Tensor means(const Adaptive& pool) {
  const Shape windows = shape_of_windows(pool);
  std::vector<bool> inside{true};
  std::vector<float> counts{1};
  Shape outputs;
  for (const AdaptiveAxis& axis : pool.axes) {
    const auto count = [&](int64_t i) { return axis.last(i) - axis.first(i) + 1; };
    const int64_t window = axis.longest.window;
    inside = product(inside, axis.longest.outputs * window,
                     [&](bool in, int64_t i) { return in && i % window < count(i / window); });
    counts =
        product(counts, axis.longest.outputs, [&](float n, int64_t i) { return n * static_cast<float>(count(i)); });
    outputs.push_back(axis.longest.outputs);
  }
  const Device device = pool.x.device();
  const Tensor elements = where(Tensor::from(inside, windows, device), verbs::to_f32(gathered(pool, windows)), 0.0F);
  return sum(elements, elements_of_windows(pool)) / Tensor::from(counts, outputs, device);
}

}  // namespace

Tensor adaptive_avg_pool(const Tensor& x, const PerAxis& sizes) {
  const Adaptive pool = checked("adaptive_avg_pool", x, sizes);
  const DType dtype = verbs::real_dtype(x);
  if (pool.axes.empty()) return zeros(pool.result, dtype, x.device());
  if (!pool.is_plain()) return means(pool).astype(dtype);
  const verbs::Pool plain = pool.plain();
  return mean(verbs::to_f32(plain.windows(0)), plain.reduced()).astype(dtype);
}

Tensor adaptive_max_pool(const Tensor& x, const PerAxis& sizes) {
  const Adaptive pool = checked("adaptive_max_pool", x, sizes);
  if (pool.axes.empty()) return zeros(pool.result, x.dtype(), x.device());
  if (!pool.is_plain()) return max(gathered(pool, shape_of_windows(pool)), elements_of_windows(pool));
  const verbs::Pool plain = pool.plain();
  return max(plain.windows(0), plain.reduced());
}

}  // namespace eglantine
