#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/load_at.hpp"
#include "verbs/network/pool.hpp"
#include "verbs/network/taps.hpp"
#include "verbs/own_rule.hpp"

/// Maxima over windows of the padded tensor, which their kernels read in place.
namespace eglantine {

using verbs::Pool;

namespace {

/// The smallest number of a dtype, which no element is below: padding.
float lowest_of(DType dtype) {
  if (is_float(dtype)) return -std::numeric_limits<float>::infinity();
  if (dtype == DType::i32) return static_cast<float>(std::numeric_limits<int32_t>::min());
  return dtype == DType::i8 ? std::numeric_limits<int8_t>::min() : 0;
}

Tensor largest(const Pool& pool) {
  pool.require_elements();
  return pool.combined(
      lowest_of(pool.x.dtype()), [](const Tensor& x) { return x; },
      [](const Tensor& a, const Tensor& b) { return maximum(a, b); },
      [](const Tensor& x, const Axes& axes) { return max(x, axes); });
}

/// x's spatial places as a pool of their own, numbered from the last, which is 0.
Pool places_from_last(const Pool& pool) {
  const Shape spatial = pool.spatial();
  check::require_i32_count(pool.function, spatial);
  const Tensor places = verbs::iota(pool.x.device(), spatial).astype(DType::i32);
  Pool of_places{pool.function, static_cast<int32_t>(spatial.elements() - 1) - places, pool.axes};
  for (verbs::SpatialAxis& axis : of_places.axes) axis.axis -= pool.axes.front().axis;
  return of_places;
}

/// Places where the elements are the largest, a NaN among them; -1 elsewhere, and in the padding.
Tensor places_of_largest(const Tensor& elements, const Tensor& largest, const Tensor& places) {
  Tensor found = elements == largest;
  if (is_float(elements.dtype())) found = found | isnan(elements);
  return where(found, places, -1);
}

/// The last of the places numbered from the last, of windows of few elements: one after the other.
Tensor among_taps(const Pool& pool, const Pool& places, const Tensor& values) {
  const std::vector<Tensor> elements = verbs::taps_of(pool.function, pool.x, pool.axes, lowest_of(pool.x.dtype())),
                            numbers = verbs::taps_of(pool.function, places.x, places.axes, -1);
  Tensor last = places_of_largest(elements.front(), values, numbers.front());
  for (size_t i = 1; i < elements.size(); ++i) last = maximum(last, places_of_largest(elements[i], values, numbers[i]));
  return last;
}

Tensor among_windows(const Pool& pool, const Pool& places, const Tensor& values) {
  Shape kept = values.shape();
  for (size_t k = 0; k < pool.axes.size(); ++k) kept.push_back(1);
  return max(places_of_largest(pool.windows(lowest_of(pool.x.dtype())), values.reshape(kept), places.windows(-1)),
             pool.reduced());
}

/// The first place in each window that holds its largest element.
Tensor places_of(const Pool& pool, const Tensor& values) {
  const Pool places = places_from_last(pool);
  const bool few = pool.x.size() > 0 && verbs::has_few_taps(pool.axes);
  return static_cast<int32_t>(pool.spatial().elements() - 1) -
         (few ? among_taps(pool, places, values) : among_windows(pool, places, values));
}

/// The cotangent of each window's result, added at the place that it came from.
Tensor scattered(const Pool& pool, const Tensor& places, const Tensor& g) {
  const Shape& shape = pool.x.shape();
  Shape flat(shape.begin(), shape.begin() + pool.axes.front().axis), windows = flat;
  flat.push_back(pool.spatial().elements());
  windows.push_back(g.size() / windows.elements());
  const Tensor none = zeros(flat, g.dtype(), g.device());
  return scatter_add(none, flat.rank() - 1, places.reshape(windows), g.reshape(windows)).reshape(shape);
}

/// How many windows cover one element of an axis, at most.
int64_t covering(const verbs::SpatialAxis& axis) { return (axis.extent() + axis.stride - 1) / axis.stride; }

Axes numbers_of(const Pool& pool) {
  Axes numbers;
  for (const verbs::SpatialAxis& axis : pool.axes) numbers.push_back(axis.axis);
  return numbers;
}

/// The coordinates of an axis, over the shape.
Tensor along(const Tensor& x, const verbs::SpatialAxis& axis) {
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) shape.push_back(i == axis.axis ? axis.length : 1);
  return verbs::iota(x.device(), {axis.length}).astype(DType::i32).reshape(shape);
}

/// The same as scattered(), read by the elements: one map over the windows that cover each.
class Gathering {
 public:
  Gathering(const Pool& pool, const Tensor& places, const Tensor& g) : pool_(pool), places_(places), g_(g) {}

  static bool is_short(const Pool& pool, const Tensor& g) {
    constexpr int64_t most = 16;
    int64_t count = 1;
    for (const verbs::SpatialAxis& axis : pool.axes) count *= covering(axis);
    return count <= most && g.size() > 0 && verbs::can_load_at(g, numbers_of(pool));
  }

  Tensor sum() const {
    return sum_from(0, {}, Tensor(), verbs::iota(pool_.x.device(), pool_.spatial()).astype(DType::i32));
  }

 private:
  /// Over the windows along the axes from the k-th on; of those before, `at` are the windows, and `exist` whether there
  /// are such.
  Tensor sum_from(size_t k, const Tensors& at, const Tensor& exist, const Tensor& number) const {
    if (k == pool_.axes.size()) return share(at, exist, number);
    const verbs::SpatialAxis& axis = pool_.axes[k];
    const Tensor last = (along(pool_.x, axis) + static_cast<int32_t>(axis.before)) / static_cast<int32_t>(axis.stride);
    Tensor total;
    for (int64_t t = 0; t < covering(axis); ++t) {
      const Tensor window = last - static_cast<int32_t>(t);
      const auto end = static_cast<int32_t>(axis.outputs);
      const Tensor exists = (window >= 0) & (window < end);
      Tensors next = at;
      next.push_back(clip(window, 0, end - 1));
      const Tensor part = sum_from(k + 1, next, !exist.defined() ? exists : exist & exists, number);
      total = t == 0 ? part : total + part;
    }
    return total;
  }

  Tensor share(const Tensors& at, const Tensor& exist, const Tensor& number) const {
    const Axes axes = numbers_of(pool_);
    const Shape& shape = pool_.x.shape();
    const Tensor from_here = verbs::load_at(places_, axes, at, shape) == number;
    return where(exist & from_here, verbs::load_at(g_, axes, at, shape), 0);
  }

  const Pool& pool_;
  const Tensor &places_, &g_;
};

Tensor at_places(const Pool& pool, const Tensor& places, const Tensor& g) {
  return Gathering::is_short(pool, g) ? Gathering(pool, places, g).sum() : scattered(pool, places, g);
}

Tensor differentiable(const Pool& pool) {
  const auto of = [pool](const Tensor& x) {
    Pool other = pool;
    other.x = x;
    return other;
  };
  return verbs::with_own_rule(
      {pool.x}, [of](const Tensors& x) { return largest(of(x[0])); },
      [of](const Tensors& x, const Tensor& values, const Tensor& g) {
        const Pool at = of(x[0]);
        return Tensors{at_places(at, places_of(at, stop_gradient(values)), g)};
      });
}

}  // namespace

Tensor max_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  return differentiable(verbs::checked_pool("max_pool", x, window, options));
}

std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = verbs::checked_pool("max_pool_with_indices", x, window, options);
  const Tensor values = differentiable(pool);
  return {values, places_of(pool, values)};
}

}  // namespace eglantine
