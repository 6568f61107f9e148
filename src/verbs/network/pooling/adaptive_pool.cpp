#include <algorithm>
#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/pooling/pool.hpp"
#include "verbs/network/pooling/unequal_windows.hpp"

/// Adaptive pools: s windows that cover an axis of n elements, the i-th from floor(i n / s) up to ceil((i + 1) n / s).
namespace eglantine {

namespace {

using check::fail;
using verbs::SpatialAxis;

/// The windows of one axis; i32 holds n and s where they are no plain pool's.
struct AdaptiveAxis {
  SpatialAxis longest;  ///< plain windows, of the longest one's length
  int64_t shortest;
  bool is_plain = true;

  int64_t first(int64_t i) const { return i * longest.length / longest.outputs; }
  int64_t last(int64_t i) const { return ((i + 1) * longest.length - 1) / longest.outputs; }
};

/// The longest window, and whether all are as long and as far apart.
void compare_windows(AdaptiveAxis& x) {
  SpatialAxis& longest = x.longest;
  longest.window = 0;
  x.shortest = longest.length;
  longest.stride = longest.outputs > 1 ? x.first(1) : 1;
  for (int64_t i = 0; i < longest.outputs; ++i) {
    const int64_t window = x.last(i) - x.first(i) + 1;
    x.is_plain = x.is_plain && x.first(i) == i * longest.stride && (i == 0 || window == longest.window);
    longest.window = std::max(longest.window, window);
    x.shortest = std::min(x.shortest, window);
  }
  x.is_plain = x.is_plain && longest.stride > 0;
}

AdaptiveAxis covered(std::string_view function, const Shape& shape, int axis, int64_t s) {
  const int64_t n = shape[axis];
  AdaptiveAxis result{{axis, n, n / s, n / s, 1, 0, 0, s}, n / s};
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
  std::vector<verbs::UnequalWindows> windows() const {
    std::vector<verbs::UnequalWindows> all;
    for (const auto& [longest, shortest, is_plain] : axes)
      all.push_back({longest.axis, longest.length, longest.outputs, shortest, longest.window});
    return all;
  }
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

Shape joined(Shape front, const Shape& behind) {
  for (int64_t length : behind) front.push_back(length);
  return front;
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

/// Places of an axis, of all elements of its windows; those that a shorter window repeats as -1 - place.
std::vector<int32_t> places_of(const AdaptiveAxis& axis) {
  const int64_t window = axis.longest.window;
  std::vector<int32_t> places;
  for (int64_t i = 0; i < axis.longest.outputs * window; ++i) {
    const int64_t at = axis.first(i / window) + i % window, last = axis.last(i / window);
    places.push_back(static_cast<int32_t>(at <= last ? at : -1 - last));
  }
  return places;
}

/// Of each axis its places_of(), over the axes of `windows` from its own on. In one buffer, of which a kernel binds
/// few.
std::vector<Tensor> places_of_axes(const Adaptive& pool, const Shape& windows) {
  std::vector<int32_t> all;
  std::vector<int64_t> ends;
  for (const AdaptiveAxis& axis : pool.axes) {
    const std::vector<int32_t> places = places_of(axis);
    all.insert(all.end(), places.begin(), places.end());
    ends.push_back(std::ssize(all));
  }
  const Tensor table = Tensor::from(all, {std::ssize(all)}, pool.x.device());
  std::vector<Tensor> places;
  for (size_t k = 0; k < ends.size(); ++k) {
    Shape shape(windows.begin() + 2 * static_cast<std::ptrdiff_t>(k), windows.end());
    std::fill(shape.begin() + 2, shape.end(), 1);
    places.push_back(table.slice(0, k > 0 ? ends[k - 1] : 0, ends[k]).reshape(shape));
  }
  return places;
}

/// Whether windows are read where they lie. On the CPU backend gathering them first takes half the time.
bool loads_in_place(const Tensor& x, const Axes& axes) {
  return verbs::can_load_at(x, axes) && x.device().info().kind != "cpu";
}

/// x's elements in unequal windows; behind its axes in front the shape of windows.
Tensor gathered(const Adaptive& pool, const Shape& windows, const std::vector<Tensor>& places) {
  const int first = pool.first();
  Axes axes;
  std::vector<Tensor> indices;
  for (const Tensor& each : places) {
    axes.push_back(first + axes.rank());
    indices.push_back(maximum(each, -1 - each));
  }
  const Shape front(pool.x.shape().begin(), pool.x.shape().begin() + first);
  if (loads_in_place(pool.x, axes)) return verbs::load_at(pool.x, axes, indices, joined(front, windows));
  Tensor place = indices.front();
  for (size_t k = 1; k < indices.size(); ++k)
    place = place * static_cast<int32_t>(pool.axes[k].longest.length) + indices[k];
  const Tensor flat = pool.x.reshape(joined(front, {pool.spatial().elements()}));
  return take(flat, place.expand(windows), first);
}

Axes elements_of_windows(const Adaptive& pool) {
  Axes axes;
  for (const AdaptiveAxis& axis : pool.axes) axes.push_back(2 * axis.longest.axis - pool.first() + 1);
  return axes;
}

/// How many elements each window has.
Tensor counts_of(const Adaptive& pool) {
  std::vector<float> counts{1};
  Shape outputs;
  for (const AdaptiveAxis& axis : pool.axes) {
    counts = product(counts, axis.longest.outputs,
                     [&](float n, int64_t i) { return n * static_cast<float>(axis.last(i) - axis.first(i) + 1); });
    outputs.push_back(axis.longest.outputs);
  }
  return Tensor::from(counts, outputs, pool.x.device());
}

/// The means over unequal windows, as f32.
Tensor means(const Adaptive& pool) {
  if (verbs::can_combine(pool.x, pool.windows())) return verbs::means_of(pool.x, pool.windows());
  const Shape windows = shape_of_windows(pool);
  const std::vector<Tensor> places = places_of_axes(pool, windows);
  Tensor inside = places.front() >= 0;
  for (size_t k = 1; k < places.size(); ++k) inside = logical_and(inside, places[k] >= 0);
  const Tensor elements = where(inside, verbs::to_f32(gathered(pool, windows, places)), 0.0F);
  return sum(elements, elements_of_windows(pool)) / counts_of(pool);
}

/// The largest elements of unequal windows.
Tensor largest(const Adaptive& pool) {
  if (verbs::can_combine(pool.x, pool.windows())) return verbs::largest_of(pool.x, pool.windows());
  const Shape windows = shape_of_windows(pool);
  return max(gathered(pool, windows, places_of_axes(pool, windows)), elements_of_windows(pool));
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
  if (!pool.is_plain()) return largest(pool);
  const verbs::Pool plain = pool.plain();
  return max(plain.windows(0), plain.reduced());
}

}  // namespace eglantine
