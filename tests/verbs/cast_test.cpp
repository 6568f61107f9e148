#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Cast, Astype);

Array vector_of(DType dtype, const std::vector<double>& values) {
  return {dtype, {static_cast<int64_t>(values.size())}, values};
}

EG_TEST(Astype, every_pair_of_dtypes) {
  for (DType from : every_dtype)
    for (DType to : every_dtype) {
      const Array x = random_array(from, {13, 127});
      EXPECT_TRUE(matches(upload(x).astype(to), naive::cast(x, to))) << name_of(from) << " to " << name_of(to);
    }
}

EG_TEST(Astype, every_view) {
  check_over_views(
      DType::f32, {{5, 13, 3}}, [](const Tensor& x) { return astype(x, DType::i32); },
      [](const Array& x) { return naive::cast(x, DType::i32); });
}

EG_TEST(Astype, floats_truncate_saturate_and_nan_is_zero) {
  const Array x =
      vector_of(DType::f32, {0.0,          -0.0,         0.5,           -0.5,          1.999999,     -1.999999,
                             2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0,
                             1e20,         -1e20,        3e38,          -3e38,         infinity,     -infinity,
                             nan,          -2.0,         16777218.0,    1e-30});
  EXPECT_TRUE(matches(upload(x).astype(DType::i32), naive::cast(x, DType::i32)));
  EXPECT_TRUE(matches(upload(x).astype(DType::u32), naive::cast(x, DType::u32)));
  EXPECT_TRUE(matches(upload(x).astype(DType::boolean), naive::cast(x, DType::boolean)));
}

EG_TEST(Astype, integers_round_to_the_nearest_float) {
  const Array x =
      vector_of(DType::i32, {0, 1, -1, 16777216, 16777217, 16777219, -16777217, 2147483647, -2147483648.0, 123456789});
  EXPECT_TRUE(matches(upload(x).astype(DType::f32), naive::cast(x, DType::f32)));
  const Array y = vector_of(DType::u32, {0, 1, 16777217, 16777219, 4294967295.0, 2147483648.0, 3000000001.0});
  EXPECT_TRUE(matches(upload(y).astype(DType::f32), naive::cast(y, DType::f32)));
}

EG_TEST(Astype, between_integers_keeps_the_bits) {
  const Array x = random_bits(DType::i32, {127});
  EXPECT_TRUE(matches(upload(x).astype(DType::u32), naive::cast(x, DType::u32)));
  EXPECT_TRUE(matches(upload(naive::cast(x, DType::u32)).astype(DType::i32), x));
}

EG_TEST(Astype, to_the_same_dtype_and_of_nothing) {
  const Array x = random_array(DType::f32, {3, 5});
  EXPECT_TRUE(matches(upload(x).astype(DType::f32), x));
  EXPECT_TRUE(matches(upload(random_array(DType::f32, {0})).astype(DType::i32), Array{DType::i32, {0}, {}}));
  EXPECT_EQ(Tensor(2.7F).astype(DType::i32).item<int32_t>(), 2);
}

EG_TEST(Astype, inside_a_fused_expression) {
  const Array x = random_array(DType::f32, {13, 127});
  EXPECT_TRUE(matches(
      sum((upload(x) * 10.0F).astype(DType::i32), {1}),
      naive::sum(naive::map(x, DType::i32, [](double v) { return std::trunc(as_element(DType::f32, v * 10)); }), {1})));
}

}  // namespace
}  // namespace eglantine::test
