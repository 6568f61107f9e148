#include <cmath>
#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/counting.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/order.hpp"

/// Counts are held against the edges that histogram gives, exactly.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Histogram);

constexpr double infinity = std::numeric_limits<double>::infinity();

void check_histogram(const Tensor& tensor, const Array& x, int64_t bins, float low, float high) {
  SCOPED_TRACE(text(x.shape) + " in " + std::to_string(bins) + " bins from " + std::to_string(low) + " to " +
               std::to_string(high));
  const auto [counts, edges] = histogram(tensor, bins, low, high);
  EXPECT_TRUE(same_bits(edges, linspace(low, high, bins + 1)));
  EXPECT_TRUE(matches(counts, naive::histogram(x, download(edges))));
}

EG_TEST(Histogram, lengths_shapes_and_bins) {
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{13}, Dims{1025}, Dims{13, 127}, Dims{3, 5, 7}})
    for (int64_t bins : {1, 2, 10, 100}) {
      const Array x = random_array(DType::f32, shape);
      check_histogram(upload(x), x, bins, -2, 2);
    }
}

EG_TEST(Histogram, elements_on_the_edges_and_beside_them) {
  for (int64_t bins : {3, 7, 49}) {
    const Array edges = download(linspace(-0.1, 0.7, bins + 1));
    Array x{DType::f32, {0}, {}};
    for (double edge : edges.values)
      for (float toward : {-9.0F, static_cast<float>(edge), 9.0F})
        x.values.push_back(std::nextafter(static_cast<float>(edge), toward));
    x.shape = {x.size()};
    check_histogram(upload(x), x, bins, -0.1F, 0.7F);
  }
}

EG_TEST(Histogram, special_floats_and_extreme_ranges) {
  const Array x = without_denormals(special_keys({500}));
  constexpr float most = std::numeric_limits<float>::max();
  check_histogram(upload(x), x, 10, -1, 1);
  check_histogram(upload(x), x, 4, 0, 1);
  check_histogram(upload(x), x, 4, -1, 0);
  check_histogram(upload(x), x, 5, -most, most);
}

EG_TEST(Histogram, of_every_view_and_dtype) {
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    const Sample held = view.hold(random_array(DType::f32, {7, 13}));
    check_histogram(held.tensor, held.array, 8, -1, 1);
  }
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {300});
    check_histogram(upload(x), x, 8, -10, 10);
  }
}

EG_TEST(Histogram, every_edge_and_its_neighbours_in_drawn_ranges) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Array drawn = random_reals({3}, -1, 1, seed);
    const auto low = static_cast<float>(drawn.values[0] * std::pow(10.0, 8 * drawn.values[1]));
    const auto high = low + static_cast<float>(std::abs(low) * std::pow(10.0, 3 * drawn.values[2]));
    const auto bins = static_cast<int64_t>(1 + 60 * std::abs(drawn.values[1]));
    Array x{DType::f32, {0}, {}};
    for (double edge : download(linspace(low, high, bins + 1)).values)
      for (double toward : {-infinity, edge, infinity})
        x.values.push_back(std::nextafter(static_cast<float>(edge), static_cast<float>(toward)));
    x.shape = {x.size()};
    check_histogram(upload(x), x, bins, low, high);
  }
}

EG_TEST(Histogram, takes_one_kernel_over_x_and_one_over_bins) {
  const Tensor x = upload(random_reals({1000}, -1, 1));
  const auto [counts, edges] = histogram(x, 10, -1, 1);
  const int64_t before = statistics(x.device()).kernels;
  counts.eval();
  EXPECT_EQ(statistics(x.device()).kernels - before, 2);
}

/// Whoever changes the edges changes no one else's.
EG_TEST(Histogram, edges_are_the_callers) {
  const Tensor x = upload(random_reals({100}, -1, 1));
  const auto before = histogram(x, 10, -1, 1);
  Tensor edges = std::move(histogram(x, 10, -1, 1).second).eval();
  edges = scatter(edges, 0, zeros({11}, DType::i32), ones({11}));
  edges.eval();
  const auto after = histogram(x, 10, -1, 1);
  EXPECT_TRUE(same_bits(after.second, linspace(-1, 1, 11)));
  EXPECT_TRUE(same_bits(after.first, before.first));
}

EG_TEST(Histogram, many_elements) {
  const Array x = random_reals({100003}, -1, 1);
  check_histogram(upload(x), x, 50, -0.9F, 0.9F);
}

}  // namespace
}  // namespace eglantine::test
