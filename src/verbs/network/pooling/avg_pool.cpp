#include <cmath>
#include <limits>
#include <optional>

#include "verbs/build.hpp"
#include "verbs/network/pooling/pool.hpp"
#include "verbs/rooted.hpp"

/// Means and norms over windows of the padded tensor, which their kernels read in place.
namespace eglantine {

using check::fail;
using verbs::Pool;
using verbs::SpatialAxis;

namespace {

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

/// The sums over windows of what `of` makes of their elements.
template <class Of>
Tensor total_of(const Pool& pool, Of of) {
  return pool.combined(
      0, of, Op::add, [](const Tensor& a, const Tensor& b) { return a + b; },
      [](const Tensor& x, const Axes& axes) { return sum(x, axes); });
}

bool is_float_with_reciprocal(double p) {
  return std::isnormal(static_cast<float>(p)) && std::isnormal(static_cast<float>(1 / p));
}

}  // namespace

Tensor avg_pool(const Tensor& x, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = verbs::checked_pool("avg_pool", x, window, options);
  if (!options.count_padding) pool.require_elements();
  return div(total_of(pool, verbs::to_f32), count_of(pool, options.count_padding)).astype(verbs::real_dtype(x));
}

Tensor lp_pool(const Tensor& x, double p, const PerAxis& window, const PoolOptions& options) {
  const Pool pool = verbs::checked_pool("lp_pool", x, window, options);
  if (!(p > 0) || !is_float_with_reciprocal(p))
    fail<Error>("lp_pool", "p is ", Scalar(p).text(),
                "; it is positive, and a number that f32 can hold together with its reciprocal");
  const Tensor total = total_of(pool, [p](const Tensor& given) {
    const Tensor elements = verbs::to_f32(given);
    return p == 1 ? elements : p == 2 ? square(elements) : pow(elements, static_cast<float>(p));
  });
  const auto root = [=](const Tensor& y) { return pow(y, static_cast<float>(1 / p)); };
  const Tensor y = p == 1 ? total : p == 2 ? verbs::square_root(total) : verbs::rooted(total, root);
  return y.astype(verbs::real_dtype(x));
}

}  // namespace eglantine
