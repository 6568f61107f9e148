#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/pooling/max_pool_gradient.hpp"
#include "verbs/network/taps.hpp"
#include "verbs/own_rule.hpp"

/// Maxima over windows of the padded tensor, which their kernels read in place.
namespace eglantine {

using verbs::Pool;

namespace verbs {

float lowest_of(DType dtype) {
  if (is_float(dtype)) return -std::numeric_limits<float>::infinity();
  if (dtype == DType::i32) return static_cast<float>(std::numeric_limits<int32_t>::min());
  return dtype == DType::i8 ? std::numeric_limits<int8_t>::min() : 0;
}

}  // namespace verbs

namespace {

Tensor largest(const Pool& pool) {
  pool.require_elements();
  return pool.combined(
      verbs::lowest_of(pool.x.dtype()), [](const Tensor& x) { return x; }, Op::maximum,
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
Tensor places_where_largest(const Tensor& elements, const Tensor& largest, const Tensor& places) {
  Tensor found = elements == largest;
  if (is_float(elements.dtype())) found = found | isnan(elements);
  return where(found, places, -1);
}

/// The last of the places numbered from the last, of windows of few elements: one after the other.
Tensor among_taps(const Pool& pool, const Pool& places, const Tensor& values) {
  const std::vector<Tensor> elements =
                                verbs::taps_of(pool.function, pool.x, pool.axes, verbs::lowest_of(pool.x.dtype())),
                            numbers = verbs::taps_of(pool.function, places.x, places.axes, -1);
  Tensor last = places_where_largest(elements.front(), values, numbers.front());
  for (size_t i = 1; i < elements.size(); ++i)
    last = maximum(last, places_where_largest(elements[i], values, numbers[i]));
  return last;
}

Tensor among_windows(const Pool& pool, const Pool& places, const Tensor& values) {
  Shape kept = values.shape();
  for (size_t k = 0; k < pool.axes.size(); ++k) kept.push_back(1);
  return max(
      places_where_largest(pool.windows(verbs::lowest_of(pool.x.dtype())), values.reshape(kept), places.windows(-1)),
      pool.reduced());
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
        return Tensors{verbs::cotangent_of_largest(at, stop_gradient(values), g)};
      });
}

}  // namespace

namespace verbs {

Tensor places_of_largest(const Pool& pool, const Tensor& values) {
  const Pool places = places_from_last(pool);
  const bool few = pool.x.size() > 0 && verbs::has_few_taps(pool.axes);
  return static_cast<int32_t>(pool.spatial().elements() - 1) -
         (few ? among_taps(pool, places, values) : among_windows(pool, places, values));
}

}  // namespace verbs

Tensor max_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  return differentiable(verbs::checked_pool("max_pool", x, window, options));
}

std::pair<Tensor, Tensor> max_pool_with_indices(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = verbs::checked_pool("max_pool_with_indices", x, window, options);
  const Tensor values = differentiable(pool);
  return {values, verbs::places_of_largest(pool, values)};
}

}  // namespace eglantine
