#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/segments.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"

/// gather_nd, scatter_nd and scatter_nd_add.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, GatherNd);
EG_ON_EACH_DEVICE(Indices, ScatterNd);

void check_gathered(const Dims& shape, const Dims& places, int64_t count, int batch = 0) {
  SCOPED_TRACE(text(shape) + " at " + std::to_string(count) + " coordinates, " + text(places) + ", batch " +
               std::to_string(batch));
  const Array x = random_array(DType::f32, shape);
  const Array indices = naive::random_coordinates(places, shape, count, batch);
  EXPECT_TRUE(matches(gather_nd(upload(x), upload(indices), batch), naive::gather_nd(x, indices, batch)));
}

EG_TEST(GatherNd, coordinates_of_some_and_of_all_axes) {
  check_gathered({13}, {127}, 1);
  check_gathered({13}, {}, 1);
  check_gathered({5, 7}, {1025}, 2);
  check_gathered({5, 7}, {3, 4}, 1);
  check_gathered({5, 7, 11}, {13}, 2);
  check_gathered({5, 7, 11}, {13}, 3);
  check_gathered({5, 7, 11}, {}, 2);
  check_gathered({2, 1, 3, 2, 2, 1, 2, 3}, {9}, 8);
  check_gathered({5, 7, 0}, {4}, 2);
  check_gathered({5, 7}, {0}, 2);
}

EG_TEST(GatherNd, batches) {
  check_gathered({5, 7, 11}, {5, 4}, 1, 1);
  check_gathered({5, 7, 11}, {5, 4}, 2, 1);
  check_gathered({5, 7, 11}, {5}, 2, 1);
  check_gathered({5, 7, 11, 3}, {5, 7, 2}, 1, 2);
}

EG_TEST(GatherNd, x_and_indices_held_in_every_view) {
  const Array indices = naive::random_coordinates({9}, {5, 7}, 2), x = random_array(DType::f32, {6, 13, 3});
  check_over_views(
      DType::f32, {{5, 7, 3}}, [&](const Tensor& held) { return gather_nd(held, upload(indices)); },
      [&](const Array& held) { return naive::gather_nd(held, indices); });
  for (const char* name : {"permuted", "stepped", "pending"}) {
    const Sample held = view(name).hold(naive::random_coordinates({4, 5}, {6, 13}, 2));
    EXPECT_TRUE(matches(gather_nd(upload(x), held.tensor), naive::gather_nd(x, held.array))) << name;
  }
}

EG_TEST(GatherNd, every_dtype) {
  const Array indices = naive::random_coordinates({9}, {4, 5}, 2);
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {4, 5});
    EXPECT_TRUE(matches(gather_nd(upload(x), upload(indices)), naive::gather_nd(x, indices))) << name_of(dtype);
  }
}

EG_TEST(GatherNd, a_coordinate_outside_reads_no_other_element) {
  const Tensor x = zeros({4, 5, 2}) + 1;
  // (0, 5) would be (1, 0) if the axes were joined unchecked.
  EXPECT_ERROR(gather_nd(x, Tensor::from({1, 1, 0, 5}, {2, 2})).to_vector<float>(), IndexError,
               "[gather_nd] the index at (1,) lies outside [-5, 5): axis 1 of (4, 5, 2)");
  EXPECT_ERROR(gather_nd(x, Tensor::from({1, 1, 3, -6}, {2, 2})).to_vector<float>(), IndexError,
               "[gather_nd] the index at (1,) lies outside [-5, 5): axis 1 of (4, 5, 2)");
  EXPECT_ERROR(gather_nd(x, Tensor::from({INT32_MAX, INT32_MIN, 1}, {1, 3})).to_vector<float>(), IndexError,
               "[gather_nd] the index at (0,) lies outside [-4, 4): axis 0 of (4, 5, 2)");
  EXPECT_ERROR(gather_nd(x, Tensor::from({0, 0, 4}, {3, 1})).to_vector<float>(), IndexError,
               "[gather_nd] index 4 at (2,) lies outside [-4, 4): axis 0 of (4, 5, 2)");
  EXPECT_ERROR(gather_nd(x, Tensor::from({0, 2, 0, 0, 0, 0, 0, 0}, {4, 1, 2}), 1).to_vector<float>(), IndexError,
               "[gather_nd] the index at (0, 0) lies outside [-2, 2): axis 2 of (4, 5, 2)");
  EXPECT_ERROR(gather_nd(zeros({4, 0}), Tensor::from({0, 0}, {1, 2})), IndexError,
               "[gather_nd] the index at (0,) lies outside [0, 0): axis 1 of (4, 0)");
}

void check_scattered(const Dims& shape, const Dims& places, int64_t count, DType dtype = DType::f32) {
  SCOPED_TRACE(text(shape) + " at " + std::to_string(count) + " coordinates, " + text(places));
  const Array x = random_array(dtype, shape), indices = naive::random_coordinates(places, shape, count);
  Dims all = places;
  all.insert(all.end(), shape.begin() + count, shape.end());
  const Array updates = random_array(dtype, all, 2);
  EXPECT_TRUE(matches(scatter_nd(upload(x), upload(indices), upload(updates)),
                      naive::scatter_nd(x, indices, updates, naive::put)));
  if (dtype == DType::boolean) return;
  EXPECT_TRUE(matches(scatter_nd_add(upload(x), upload(indices), upload(updates)),
                      naive::scatter_nd(x, indices, updates, naive::added), {0, 1e-5, 1e-5}));
}

EG_TEST(ScatterNd, coordinates_of_some_and_of_all_axes) {
  check_scattered({13}, {127}, 1);
  check_scattered({13}, {}, 1);
  check_scattered({5, 7}, {1025}, 2);
  check_scattered({5, 7}, {3, 4}, 1);
  check_scattered({5, 7, 11}, {40}, 2);
  check_scattered({5, 7, 11}, {4, 3}, 1);
  check_scattered({2, 1, 3, 2, 2, 1, 2, 3}, {9}, 8);
  check_scattered({5, 7, 0}, {4}, 2);
  check_scattered({5, 7}, {0}, 2);
}

EG_TEST(ScatterNd, every_dtype) {
  for (DType dtype : every_dtype) check_scattered({4, 5}, {60}, 2, dtype);
}

EG_TEST(ScatterNd, x_indices_and_updates_held_in_views) {
  const Array indices = naive::random_coordinates({9}, {5, 7}, 2), updates = random_array(DType::f32, {9, 3});
  check_over_views(
      DType::f32, {{5, 7, 3}}, [&](const Tensor& x) { return scatter_nd(x, upload(indices), upload(updates)); },
      [&](const Array& x) { return naive::scatter_nd(x, indices, updates, naive::put); });
  const Array x = random_array(DType::f32, {5, 7, 3});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    const Sample held = view(name).hold(indices), more = view(name).hold(updates);
    EXPECT_TRUE(matches(scatter_nd(upload(x), held.tensor, more.tensor),
                        naive::scatter_nd(x, held.array, more.array, naive::put)))
        << name;
    EXPECT_TRUE(matches(scatter_nd_add(upload(x), held.tensor, more.tensor),
                        naive::scatter_nd(x, held.array, more.array, naive::added), {0, 1e-5, 1e-5}))
        << name;
  }
}

EG_TEST(ScatterNd, a_coordinate_outside_writes_no_other_element) {
  const Tensor x = zeros({4, 5, 2}) + 1, u = ones({2, 2});
  EXPECT_ERROR(scatter_nd(x, Tensor::from({1, 1, 0, 5}, {2, 2}), u).to_vector<float>(), IndexError,
               "[scatter_nd] the index at (1,) lies outside [-5, 5): axis 1 of (4, 5, 2)");
  EXPECT_ERROR(scatter_nd_add(x, Tensor::from({1, 1, -5, 0}, {2, 2}), u).to_vector<float>(), IndexError,
               "[scatter_nd_add] the index at (1,) lies outside [-4, 4): axis 0 of (4, 5, 2)");
  EXPECT_ERROR(scatter_nd_add(x, Tensor::from({3, 4}, {2, 1}), ones({2, 5, 2})).to_vector<float>(), IndexError,
               "[scatter_nd_add] index 4 at (1,) lies outside [-4, 4): axis 0 of (4, 5, 2)");
}

}  // namespace
}  // namespace eglantine::test
