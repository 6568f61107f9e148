#include "support/devices.hpp"
#include "support/reference/order.hpp"
#include "support/views.hpp"

/// Sorts of a few hundred KiB: ordinary sizes, but several windows each where EGLANTINE_MAX_BLOCK_BYTES is 65536.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Windows, WindowedSort);

EG_TEST(WindowedSort, one_long_row) {
  const Array x = keys_with_ties(DType::f32, {70001});
  expect_order(upload(x), x, 0, false);
  expect_order(upload(x), x, 0, true);
}

EG_TEST(WindowedSort, a_row_whose_counts_take_several_windows) {
  const Array x = keys_with_ties(DType::u32, {300007});
  expect_order(upload(x), x);
}

EG_TEST(WindowedSort, rows_and_columns) {
  const Array x = keys_with_ties(DType::i32, {311, 257});
  expect_order(upload(x), x, 0);
  expect_order(upload(x), x, 1);
  const Array narrow = keys_with_ties(DType::f32, {9001, 7});
  expect_order(upload(narrow), narrow, 0);
  expect_order(upload(narrow), narrow, 1);
}

EG_TEST(WindowedSort, views_whose_elements_lie_far_apart) {
  for (const char* name : {"column_major", "backwards", "pending"}) {
    SCOPED_TRACE(name);
    const Sample sample = view(name).hold(keys_with_ties(DType::u32, {3, 20011}));
    expect_order(sample.tensor, sample.array, 1);
  }
}

EG_TEST(WindowedSort, keys_with_values_and_consumers) {
  const Array keys = random_array(DType::f32, {40009}), values = random_bits(DType::i32, {40009});
  const naive::Sorted expected = naive::sort(keys);
  const auto [sorted, moved] = sort_by_key(upload(keys), upload(values));
  EXPECT_TRUE(matches(sorted, expected.keys, bitwise));
  EXPECT_TRUE(matches(moved, naive::at_places(values, expected.places)));
  EXPECT_TRUE(matches(argsort(upload(keys)) + upload(values),
                      naive::map(expected.places, values, DType::i32, [](double a, double b) { return a + b; })));
}

EG_TEST(WindowedSort, the_largest_few_of_one_row_and_of_many) {
  for (const Dims& shape : {Dims{100003}, Dims{300, 500}}) {
    const Array x = random_array(DType::f32, shape);
    for (int64_t k : {5, 200}) {
      const auto [keys, places] = topk(upload(x), k);
      const naive::Sorted expected = naive::topk(x, k);
      EXPECT_TRUE(matches(keys, expected.keys, bitwise));
      EXPECT_TRUE(matches(places, expected.places));
    }
  }
}

}  // namespace
}  // namespace eglantine::test
