#include "verbs/network/pooling/window_numbers.hpp"

#include <algorithm>
#include <limits>

#include "verbs/build.hpp"
#include "verbs/network/pooling/max_pool_gradient.hpp"

namespace eglantine::verbs {

namespace {

constexpr int64_t most_in_byte = 256;

/// The numbers of a window's elements, as taps_of() orders these.
std::vector<int64_t> numbers_of_taps(const Pool& pool) {
  std::vector<std::vector<int64_t>> taps{{}};
  for (const SpatialAxis& axis : pool.axes) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& tap : taps)
      for (int64_t j = 0; j < axis.window; ++j) {
        longer.push_back(tap);
        longer.back().push_back(j * axis.dilation);
      }
    taps = std::move(longer);
  }
  std::vector<int64_t> numbers;
  for (const auto& tap : taps) numbers.push_back(number_of(pool, tap));
  return numbers;
}

/// The number of each window's first element that is not padding.
Tensor numbers_of_first(const Pool& pool) {
  Tensors places;
  for (const SpatialAxis& axis : pool.axes) {
    const auto before = static_cast<int32_t>(axis.before), dilation = static_cast<int32_t>(axis.dilation);
    const Tensor window = along(pool, axis.axis, axis.outputs);
    const Tensor padding = clip(before - window * static_cast<int32_t>(axis.stride), 0, before);
    places.push_back(dilation == 1 ? padding : (padding + (dilation - 1)) / dilation * dilation);
  }
  return number_of(pool, places);
}

bool has_padding(const Pool& pool) {
  return std::any_of(pool.axes.begin(), pool.axes.end(),
                     [](const SpatialAxis& axis) { return axis.before > 0 || axis.behind() > 0; });
}

}  // namespace

int64_t numbers_in(const Pool& pool) {
  int64_t count = 1;
  for (const SpatialAxis& axis : pool.axes) count *= places_along(axis);
  return count;
}

Tensor along(const Pool& pool, int axis, int64_t length) {
  Shape shape;
  for (int i = 0; i < pool.x.rank(); ++i) shape.push_back(i == axis ? length : 1);
  return iota(pool.x.device(), {length}).astype(DType::i32).reshape(shape);
}

Tensor numbers_of_largest(const Pool& pool, const Tensor& values) {
  constexpr float highest = std::numeric_limits<float>::infinity();
  const bool padded = has_padding(pool);
  const Tensor bound = where(isnan(values), highest, padded ? where(values == -highest, 0, values) : values);
  const std::vector<Tensor> taps = taps_of(pool.function, pool.x, pool.axes, lowest_of(pool.x.dtype()));
  const std::vector<int64_t> numbers = numbers_of_taps(pool);
  Tensor first = padded ? numbers_of_first(pool) : zeros({}, DType::i32, pool.x.device());
  for (size_t i = taps.size(); i-- > 0;) first = where(taps[i] < bound, first, static_cast<int32_t>(numbers[i]));
  return first.astype(numbers_in(pool) <= most_in_byte ? DType::u8 : DType::i32);
}

}  // namespace eglantine::verbs
