#include "support/reference/tree_simulation.hpp"

#include <algorithm>

namespace eglantine::test {
namespace {

constexpr size_t lanes = 64;
constexpr size_t row_block = 64 * 4 * 32;
constexpr size_t accumulators = 8;
constexpr size_t column_block = 8 * 16;

/// Element i of a run; -0.0 beyond its end.
float at_or_zero(const std::vector<float>& run, size_t i) { return i < run.size() ? run[i] : -0.0F; }

float row_block_sum(const std::vector<float>& run, size_t first) {
  std::vector<float> s(lanes);
  for (size_t l = 0; l < lanes; ++l) {
    float a[4];
    for (size_t c = 0; c < 4; ++c) {
      a[c] = -0.0F;
      for (size_t trip = 0; trip < 32; ++trip) a[c] = a[c] + at_or_zero(run, first + trip * 256 + 4 * l + c);
    }
    s[l] = (a[0] + a[1]) + (a[2] + a[3]);
  }
  for (size_t h = lanes / 2; h >= 1; h /= 2)
    for (size_t l = 0; l < h; ++l) s[l] = s[l] + s[l + h];
  return s[0];
}

float column_block_sum(const std::vector<float>& rows, size_t first) {
  float a[accumulators];
  for (size_t j = 0; j < accumulators; ++j) {
    a[j] = -0.0F;
    for (size_t trip = 0; trip < 16; ++trip) a[j] = a[j] + at_or_zero(rows, first + trip * accumulators + j);
  }
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

float level_by_level(std::vector<float> run, size_t block, float (*block_sum)(const std::vector<float>&, size_t)) {
  do {
    std::vector<float> partials;
    for (size_t first = 0; first < run.size(); first += block) partials.push_back(block_sum(run, first));
    run = std::move(partials);
  } while (run.size() > 1);
  return run[0];
}

}  // namespace

float row_tree_sum(std::vector<float> run) { return level_by_level(std::move(run), row_block, row_block_sum); }

float column_tree_sum(std::vector<float> rows) {
  return level_by_level(std::move(rows), column_block, column_block_sum);
}

Array simulate_sum(const Array& x, const std::vector<int64_t>& order, float (*tree)(std::vector<float>)) {
  Dims kept;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (std::find(order.begin(), order.end(), axis) == order.end()) kept.push_back(axis);
  Dims kept_shape;
  Dims walked_shape;
  for (int64_t axis : kept) kept_shape.push_back(x.shape[static_cast<size_t>(axis)]);
  for (int64_t axis : order) walked_shape.push_back(x.shape[static_cast<size_t>(axis)]);
  return generate(DType::f32, kept_shape, [&](const Dims& outer) {
    Dims index(x.shape.size());
    for (size_t i = 0; i < kept.size(); ++i) index[static_cast<size_t>(kept[i])] = outer[i];
    std::vector<float> run;
    for_each_index(walked_shape, [&](const Dims& inner) {
      for (size_t i = 0; i < order.size(); ++i) index[static_cast<size_t>(order[i])] = inner[i];
      run.push_back(static_cast<float>(x.at(index)));
    });
    return static_cast<double>(tree(run));
  });
}

}  // namespace eglantine::test
