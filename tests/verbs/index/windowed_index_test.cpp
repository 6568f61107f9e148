#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/counting.hpp"
#include "eglantine/verbs/segments.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"

/// Indexed reads and writes of tensors larger than a binding, where EGLANTINE_MAX_BLOCK_BYTES is 65536: a dispatch for
/// each window of the addressed tensor.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Windows, WindowedIndex);

EG_TEST(WindowedIndex, rows_from_a_long_table) {
  const Array table = random_array(DType::f32, {601, 128}), indices = naive::random_indices({301}, 601);
  EXPECT_TRUE(matches(take(upload(table), upload(indices), 0), naive::take(table, indices, 0)));
  EXPECT_TRUE(matches(take(upload(table).slice(1, 1, 126), upload(indices), 0),
                      naive::take(naive::slice(table, 1, 1, 126, 1), indices, 0)));
}

EG_TEST(WindowedIndex, along_the_last_axis_of_views) {
  const Array x = random_array(DType::f32, {300, 257}), indices = naive::random_indices({100}, 257);
  for (const char* name : {"contiguous", "permuted", "flipped", "broadcast"}) {
    const Sample held = view(name).hold(x);
    EXPECT_TRUE(matches(take(held.tensor, upload(indices), 1), naive::take(held.array, indices, 1))) << name;
  }
}

EG_TEST(WindowedIndex, elements_from_anywhere) {
  const Array x = random_array(DType::f32, {100003}), index = naive::random_indices({50021}, 100003);
  EXPECT_TRUE(matches(gather(upload(x), 0, upload(index)), naive::gather(x, 0, index)));
  EXPECT_TRUE(matches(gather(upload(x).flip({}), 0, upload(index)), naive::gather(naive::flip(x, {}), 0, index)));
}

EG_TEST(WindowedIndex, updates_to_anywhere) {
  const Array x = random_array(DType::f32, {70001}), index = naive::random_indices({50021}, 70001);
  const Array updates = random_array(DType::f32, {50021}, 2);
  EXPECT_TRUE(matches(scatter(upload(x), 0, upload(index), upload(updates)), naive::scatter(x, 0, index, updates)));
  const Array whole = random_bits(DType::i32, {70001}), more = random_bits(DType::i32, {50021}, 2);
  EXPECT_TRUE(
      matches(scatter_add(upload(whole), 0, upload(index), upload(more)), naive::scatter_add(whole, 0, index, more)));
}

EG_TEST(WindowedIndex, sums_of_floats) {
  const Array zero{DType::f32, {30011}, std::vector<double>(30011, 0)};
  const Array index = naive::random_indices({50021}, 30011);
  const Array counts = generate(DType::f32, {50021}, [](const Dims& i) { return static_cast<double>(i[0] % 7); });
  EXPECT_TRUE(
      matches(scatter_add(upload(zero), 0, upload(index), upload(counts)), naive::scatter_add(zero, 0, index, counts)));
}

EG_TEST(WindowedIndex, columns_of_updates) {
  const Array x = random_array(DType::f32, {201, 211}), index = naive::random_indices({150, 211}, 201);
  const Array updates = random_array(DType::f32, {150, 211}, 2);
  EXPECT_TRUE(matches(scatter(upload(x), 0, upload(index), upload(updates)), naive::scatter(x, 0, index, updates)));
}

EG_TEST(WindowedIndex, one_hot_and_compress) {
  const Array indices = naive::random_indices({5003}, 10);
  EXPECT_TRUE(matches(one_hot(upload(indices), 10), naive::one_hot(indices, 10)));
  const Array x = random_array(DType::f32, {40009}), mask = random_array(DType::boolean, {40009}, 2);
  EXPECT_TRUE(matches(compress(upload(x), upload(mask)), naive::compress(x, mask)));
}

EG_TEST(WindowedIndex, largest_and_products) {
  const Array x = random_array(DType::f32, {30011}), index = naive::random_indices({50021}, 30011);
  const Array updates = random_array(DType::f32, {50021}, 2);
  EXPECT_TRUE(matches(scatter_max(upload(x), 0, upload(index), upload(updates)),
                      naive::scatter_with(x, 0, index, updates, naive::larger)));
  EXPECT_TRUE(matches(scatter_mul(upload(x), 0, upload(index), upload(updates)),
                      naive::scatter_with(x, 0, index, updates, naive::multiplied), {0, 30 * 0x1p-23, 0}));
}

EG_TEST(WindowedIndex, columns_by_one_index_each) {
  const Array x = random_array(DType::f32, {201, 211}), index = naive::random_indices({150}, 201);
  const Array updates = random_array(DType::f32, {150, 211}, 2);
  EXPECT_TRUE(matches(index_add(upload(x), 0, upload(index), upload(updates)), naive::index_add(x, 0, index, updates),
                      {0, 1e-5, 1e-5}));
}

EG_TEST(WindowedIndex, searches_in_long_rows) {
  const Array sorted = naive::sort(random_reals({50021}, -1, 1), 0, false).keys,
              values = random_reals({301}, -1.1, 1.1);
  for (bool right : {false, true}) {
    const Array expected = naive::searchsorted(sorted, values, right);
    EXPECT_TRUE(matches(searchsorted(upload(sorted), upload(values), right), expected));
    EXPECT_TRUE(matches(searchsorted(upload(naive::flip(sorted, {0})).flip({}), upload(values), right), expected));
  }
  const Array rows = naive::sort(random_array(DType::f32, {30, 1001}), 1, false).keys;
  const Array keys = random_array(DType::f32, {30, 41}, 2);
  EXPECT_TRUE(matches(searchsorted(upload(rows), upload(keys)), naive::searchsorted(rows, keys, false)));
}

EG_TEST(WindowedIndex, an_index_out_of_range_in_the_last_window) {
  Array index = naive::random_indices({50021}, 100003);
  index.values[50000] = 100003;
  index.values[50010] = -100004;
  EXPECT_ERROR(gather(upload(random_array(DType::f32, {100003})), 0, upload(index)).to_vector<float>(), IndexError,
               "[gather] index 100003 at (50000,) lies outside [-100003, 100003): axis 0 of (100003,)");
  EXPECT_NO_THROW(device().synchronize());
}

}  // namespace
}  // namespace eglantine::test
