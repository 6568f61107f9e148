#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/reference/naive.hpp"

namespace eglantine::test::naive {
namespace {

size_t counted(Axis axis, const Array& x) { return static_cast<size_t>(axis < 0 ? axis + x.rank() : axis); }

/// The order of a row: numbers by value, then NaN.
std::vector<int64_t> order_of(const std::vector<double>& row, bool descending) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const double x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return descending ? x > y : x < y;
  });
  return order;
}

}  // namespace

Sorted sort(const Array& x, Axis axis, bool descending) {
  const size_t along = counted(axis, x);
  Sorted result{x, {DType::i32, x.shape, std::vector<double>(x.values.size())}};
  int64_t step = 1;
  for (size_t i = along + 1; i < x.shape.size(); ++i) step *= x.shape[i];
  Dims outer = x.shape;
  outer[along] = std::min<int64_t>(outer[along], 1);
  for_each_index(outer, [&](const Dims& index) {
    int64_t start = 0;
    for (size_t i = 0; i < index.size(); ++i) start = start * x.shape[i] + index[i];
    std::vector<double> row;
    for (int64_t i = 0; i < x.shape[along]; ++i) row.push_back(x.values[static_cast<size_t>(start + i * step)]);
    const std::vector<int64_t> order = order_of(row, descending);
    for (size_t i = 0; i < order.size(); ++i) {
      const size_t at = static_cast<size_t>(start + static_cast<int64_t>(i) * step);
      result.keys.values[at] = row[static_cast<size_t>(order[i])];
      result.places.values[at] = static_cast<double>(order[i]);
    }
  });
  return result;
}

Array at_places(const Array& x, const Array& places, Axis axis) {
  return generate(x.dtype, places.shape, [&](Dims index) {
    index[counted(axis, x)] = static_cast<int64_t>(places.at(index));
    return x.at(index);
  });
}

Sorted topk(const Array& x, int64_t k, Axis axis, bool largest) {
  const Sorted all = sort(x, axis, largest);
  Pairs bounds;
  for (size_t i = 0; i < x.shape.size(); ++i) bounds.emplace_back(0, i == counted(axis, x) ? k : x.shape[i]);
  return {crop(all.keys, bounds), crop(all.places, bounds)};
}

}  // namespace eglantine::test::naive
