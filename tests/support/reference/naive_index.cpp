#include "support/reference/naive_index.hpp"

#include <cmath>

#include "support/random/random_data.hpp"
#include "support/reference/from_front.hpp"

namespace eglantine::test::naive {
namespace {

size_t front(int64_t axis, int rank) { return static_cast<size_t>(axis < 0 ? axis + rank : axis); }

/// The row-major number of element `index` of a shape.
size_t number(const Dims& shape, const Dims& index) {
  int64_t result = 0;
  for (size_t i = 0; i < shape.size(); ++i) result = result * shape[i] + index[i];
  return static_cast<size_t>(result);
}

Array scattered(const Array& x, int64_t axis, const Array& index, const Array& updates,
                const std::function<double(double, double)>& combine) {
  Array result = x;
  const size_t along = front(axis, x.rank());
  for_each_index(index.shape, [&](const Dims& place) {
    Dims target = place;
    target[along] = from_front(index.at(place), x.shape[along]);
    double& element = result.values[number(x.shape, target)];
    element = combine(element, updates.at(place));
  });
  return result;
}

}  // namespace

Array take(const Array& x, const Array& indices, int64_t axis) {
  const size_t along = front(axis, x.rank()), rank = indices.shape.size();
  Dims shape(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(along));
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<int64_t>(along) + 1, x.shape.end());
  return generate(x.dtype, shape, [&](const Dims& place) {
    const auto first = place.begin() + static_cast<int64_t>(along), last = first + static_cast<int64_t>(rank);
    Dims from(place.begin(), first);
    from.push_back(from_front(indices.at(Dims(first, last)), x.shape[along]));
    from.insert(from.end(), last, place.end());
    return x.at(from);
  });
}

Array gather(const Array& x, int64_t axis, const Array& index) {
  const size_t along = front(axis, x.rank());
  return generate(x.dtype, index.shape, [&](const Dims& place) {
    Dims from = place;
    from[along] = from_front(index.at(place), x.shape[along]);
    return x.at(from);
  });
}

Array scatter(const Array& x, int64_t axis, const Array& index, const Array& updates) {
  return scattered(x, axis, index, updates, [](double, double update) { return update; });
}

Array scatter_add(const Array& x, int64_t axis, const Array& index, const Array& updates) {
  Array result = scattered(x, axis, index, updates, [](double element, double update) { return element + update; });
  for (double& value : result.values) value = as_element(x.dtype, value);
  return result;
}

Array one_hot(const Array& indices, int64_t depth) {
  Dims shape = indices.shape;
  shape.push_back(depth);
  return generate(DType::f32, shape, [&](Dims place) {
    const int64_t column = place.back();
    place.pop_back();
    return from_front(indices.at(place), depth) == column ? 1.0 : 0.0;
  });
}

Array compress(const Array& x, const Array& mask) {
  const int64_t row = mask.size() == 0 ? 0 : x.size() / mask.size();
  Array result{x.dtype, {0}, {}};
  result.shape.insert(result.shape.end(), x.shape.begin() + mask.rank(), x.shape.end());
  for (int64_t i = 0; i < mask.size(); ++i) {
    if (mask.values[static_cast<size_t>(i)] == 0) continue;
    ++result.shape[0];
    result.values.insert(result.values.end(), x.values.begin() + i * row, x.values.begin() + (i + 1) * row);
  }
  return result;
}

Array nonzero(const Array& mask) {
  Array result{DType::i32, {0, mask.rank()}, {}};
  for_each_index(mask.shape, [&](const Dims& place) {
    if (mask.at(place) == 0) return;
    ++result.shape[0];
    for (int64_t i : place) result.values.push_back(static_cast<double>(i));
  });
  return result;
}

Array unique(const Array& sorted) {
  Array result{sorted.dtype, {0}, {}};
  for (size_t i = 0; i < sorted.values.size(); ++i) {
    const double value = sorted.values[i], earlier = i == 0 ? 0 : sorted.values[i - 1];
    if (i > 0 && (value == earlier || (std::isnan(value) && std::isnan(earlier)))) continue;
    result.values.push_back(value);
    ++result.shape[0];
  }
  return result;
}

Array random_indices(const Dims& shape, int64_t length, uint64_t seed) {
  Random random(seed);
  return generate(DType::i32, shape,
                  [&](const Dims&) { return static_cast<double>(random.integer(-length, length - 1)); });
}

}  // namespace eglantine::test::naive
