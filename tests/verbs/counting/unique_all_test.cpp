#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/counting.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/order.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, UniqueAll);

void check_unique(const Tensor& tensor, const Array& x) {
  SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape));
  const naive::Unique expected = naive::unique_all(x);
  const eglantine::UniqueAll all = unique_all(tensor);
  EXPECT_TRUE(matches(all.values, expected.values, bitwise));
  EXPECT_TRUE(matches(all.indices, expected.indices));
  EXPECT_TRUE(matches(all.inverse_indices, expected.inverse));
  EXPECT_TRUE(matches(all.counts, expected.counts));
}

/// Of about a dozen values.
Array few_values(DType dtype, const Dims& shape) {
  Array x = random_array(dtype, shape);
  if (dtype != DType::boolean)
    for (double& value : x.values) value = std::trunc(value / (dtype == DType::f32 ? 0.4 : 17));
  return x;
}

EG_TEST(UniqueAll, lengths_shapes_and_dtypes) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{1}, Dims{2}, Dims{127}, Dims{3, 0}, Dims{13, 7}, Dims{1025}})
    for (DType dtype : every_dtype) {
      if (!draw.next()) continue;
      const Array x = few_values(dtype, shape);
      check_unique(upload(x), x);
    }
}

EG_TEST(UniqueAll, all_equal_all_different_and_ordered_backwards) {
  for (int64_t length : {2, 200}) {
    const Array same{DType::i32, {length}, std::vector<double>(static_cast<size_t>(length), -3)};
    const Array different = naive::flip(iota(DType::f32, {length}), {0});
    check_unique(upload(same), same);
    check_unique(upload(different), different);
  }
}

EG_TEST(UniqueAll, counts_take_one_kernel_more_than_the_starts_of_runs) {
  const Array x = few_values(DType::i32, {500});
  const eglantine::UniqueAll all = unique_all(upload(x));
  all.values.eval();
  const int64_t before = statistics(all.counts.device()).kernels;
  all.counts.eval();
  EXPECT_EQ(statistics(all.counts.device()).kernels - before, 3);
}

EG_TEST(UniqueAll, nan_equals_nan_and_the_first_zero_stands_for_both) {
  const Array x{DType::f32, {9}, {nan, 0.0, -0.0, 5, nan, -0.0, 5, nan, -1}};
  check_unique(upload(x), x);
  const Array special = without_denormals(special_keys({300}));
  const naive::Unique expected = naive::unique_all(special);
  EXPECT_TRUE(matches(unique_all(upload(special)).counts, expected.counts));
}

EG_TEST(UniqueAll, held_in_every_view) {
  const Array x = few_values(DType::i32, {6, 13});
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(view.name);
    const Sample held = view.hold(x);
    check_unique(held.tensor, held.array);
  }
}

EG_TEST(UniqueAll, its_parts_alone) {
  for (const Dims& shape : {Dims{0}, Dims{1}, Dims{9, 13}}) {
    const Array x = few_values(DType::f32, shape);
    const naive::Unique expected = naive::unique_all(x);
    const auto [values, counts] = unique_counts(upload(x));
    EXPECT_TRUE(matches(values, expected.values));
    EXPECT_TRUE(matches(counts, expected.counts));
    const auto [again, inverse] = unique_inverse(upload(x));
    EXPECT_TRUE(matches(again, expected.values));
    EXPECT_TRUE(matches(inverse, expected.inverse));
    EXPECT_TRUE(matches(unique_values(upload(x)), expected.values));
  }
}

EG_TEST(UniqueAll, puts_x_together_again) {
  const Array x = few_values(DType::f32, {127, 3});
  const eglantine::UniqueAll all = unique_all(upload(x));
  EXPECT_TRUE(matches(take(all.values, all.inverse_indices, 0), x));
}

}  // namespace
}  // namespace eglantine::test
