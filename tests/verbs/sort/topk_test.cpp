#include "support/devices.hpp"
#include "support/reference/order.hpp"
#include "support/shapes.hpp"
#include "support/views.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Order, Topk);

void expect_topk(const Tensor& tensor, const Array& x, int64_t k, int axis = -1, bool largest = true) {
  SCOPED_TRACE("k = " + std::to_string(k) + " of " + text(x.shape) + " axis " + std::to_string(axis));
  const naive::Sorted expected = naive::topk(x, k, axis, largest);
  const auto [keys, places] = topk(tensor, k, axis, largest);
  EXPECT_TRUE(matches(keys, expected.keys, bitwise));
  EXPECT_TRUE(matches(places, expected.places));
}

EG_TEST(Topk, every_axis_and_count) {
  const Array x = random_array(DType::f32, {5, 13, 37});
  for (int axis : {0, 1, -1}) {
    const int64_t length = x.shape[static_cast<size_t>(axis < 0 ? 2 : axis)];
    for (int64_t k : {int64_t{0}, int64_t{1}, int64_t{4}, length}) expect_topk(upload(x), x, k, axis);
  }
}

EG_TEST(Topk, few_and_many_of_long_rows) {
  for (DType dtype : numeric_dtypes) {
    const Array x = keys_with_ties(dtype, {2, 20011});
    for (int64_t k : {0, 1, 7, 60, 300, 20011}) expect_topk(upload(x), x, k);
  }
}

EG_TEST(Topk, of_equals_the_first_ones) {
  for (int64_t length : {100, 20011}) {
    const Array few = {DType::i32, {length}, random_array(DType::boolean, {length}).values};
    const Array none = {DType::f32, {length}, std::vector<double>(static_cast<size_t>(length), 2)};
    for (int64_t k : {1, 33}) {
      expect_topk(upload(few), few, k);
      expect_topk(upload(none), none, k);
    }
  }
}

EG_TEST(Topk, not_a_number_comes_last) {
  for (int64_t length : {90, 20011}) {
    Array x = special_keys({length});
    expect_topk(upload(x), x, 40);
    for (size_t i = 3; i < x.values.size(); ++i) x.values[i] = std::numeric_limits<double>::quiet_NaN();
    expect_topk(upload(x), x, 40);
  }
}

/// The CPU's threads share the row, and software devices' invocations take tiles of it.
EG_TEST(Topk, of_a_row_that_threads_share) {
  const Array x = keys_with_ties(DType::f32, {200003}), rising = iota(DType::i32, {200003});
  for (int64_t k : {1, 70}) {
    expect_topk(upload(x), x, k);
    expect_topk(upload(x), x, k, -1, false);
    expect_topk(upload(rising), rising, k);
  }
}

EG_TEST(Topk, rising_keys_displace_every_one_before) {
  const Array x = iota(DType::u32, {30000});
  expect_topk(upload(x), x, 64);
  expect_topk(upload(naive::flip(x, {0})), naive::flip(x, {0}), 64);
}

EG_TEST(Topk, the_smallest_in_ascending_order) {
  const Array x = random_array(DType::i32, {5, 13, 37});
  for (int axis : {0, -1}) expect_topk(upload(x), x, 4, axis, false);
  for (int64_t length : {90, 20011}) {
    const Array special = special_keys({length}), ties = keys_with_ties(DType::f32, {2, length});
    expect_topk(upload(special), special, 40, -1, false);
    for (int64_t k : {int64_t{0}, int64_t{7}, length}) expect_topk(upload(ties), ties, k, -1, false);
  }
}

EG_TEST(Topk, booleans_and_columns) {
  const Array x = random_array(DType::boolean, {700, 3});
  expect_topk(upload(x), x, 9, 0);
}

EG_TEST(Topk, every_view) {
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample sample = view.hold(random_array(DType::f32, {3, 6007}));
    expect_topk(sample.tensor, sample.array, 5);
  }
}

EG_TEST(Topk, computed_keys_and_single_elements) {
  const Array x = random_array(DType::i32, {4, 700});
  const Array doubled = naive::map(x, DType::i32, [](double v) { return 2 * v; });
  expect_topk(upload(x) * 2, doubled, 3);
  const Array one = random_array(DType::f32, {3, 1});
  expect_topk(upload(one), one, 1);
  expect_topk(upload(one), one, 0);
}

}  // namespace
}  // namespace eglantine::test
