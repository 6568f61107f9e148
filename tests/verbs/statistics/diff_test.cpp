#include "verbs/statistics/statistics.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, Diff);
EG_ON_EACH_DEVICE(Scan, Logcumsumexp);

Array diff_of(const Array& x, int64_t n, int64_t axis) {
  Array y = x;
  const auto along = static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  for (int64_t i = 0; i < n && y.shape[along] > 0; ++i) {
    Dims shape = y.shape;
    --shape[along];
    y = generate(x.dtype, shape, [&](Dims at) {
      const double before = y.at(at);
      ++at[along];
      return as_element(x.dtype,
                        x.dtype == DType::boolean ? static_cast<double>(y.at(at) != before) : y.at(at) - before);
    });
  }
  return y;
}

EG_TEST(Diff, along_every_axis_of_every_dtype) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : wide_dtypes)
    for (int axis : {0, -1})
      for (int64_t n : {1, 2, 3}) {
        if (dtype != DType::f32 && (n != 2 || axis != 0)) continue;
        if (!draw.next()) continue;
        const Array x = random_array(dtype, {13, 5});
        EXPECT_TRUE(matches(diff(upload(x), n, axis), diff_of(x, n, axis))) << name_of(dtype) << axis << n;
      }
}

EG_TEST(Diff, over_views) {
  check_over_some_views(
      random_array(DType::f32, {5, 13, 3}), [](const Tensor& x) { return diff(x, 2, 1); },
      [](const Array& x) { return diff_of(x, 2, 1); });
}

EG_TEST(Diff, of_no_difference_and_of_too_many) {
  const Array x = random_array(DType::f32, {3, 5});
  EXPECT_TRUE(matches(diff(upload(x), 0), x));
  for (int64_t n : {int64_t{5}, int64_t{6}, std::numeric_limits<int64_t>::max()})
    EXPECT_TRUE(matches(diff(upload(x), n), Array{DType::f32, {3, 0}, {}}));
  EXPECT_TRUE(matches(diff(upload(x), 4), diff_of(x, 4, 1)));
  EXPECT_TRUE(matches(diff(zeros({0})), Array{DType::f32, {0}, {}}));
  EXPECT_TRUE(matches(diff(zeros({0, 3}), 1), Array{DType::f32, {0, 2}, {}}));
}

EG_TEST(Diff, integers_wrap) {
  const Array x = random_bits(DType::u32, {127});
  EXPECT_TRUE(matches(diff(upload(x), 2), diff_of(x, 2, 0)));
}

EG_TEST(Diff, is_one_kernel) { EXPECT_EQ(kernels_of(diff(upload(random_array(DType::f32, {127})))), 1); }

EG_TEST(Diff, many_times) {
  const Array x = random_array(DType::i32, {127});
  EXPECT_TRUE(matches(diff(upload(x), 40), diff_of(x, 40, 0)));
}

/// Serially in double.
Array logcumsumexp_of(const Array& x, int64_t axis, naive::ScanWay way = {}) {
  return naive::scan(x, axis, way, DType::f32, -infinity, [](double a, double b) {
    if (a == b) return a + std::log(2.0);
    return (std::isnan(a) || a > b ? a : b) + std::log1p(std::exp(-std::abs(a - b)));
  });
}

Tolerance of_logs(int64_t n) {
  const double error = (128 + std::log2(static_cast<double>(n))) * eps;
  return {0, error, error};
}

EG_TEST(Logcumsumexp, of_every_length) {
  Draw draw = draw_programs_one_of(3);
  for (int64_t length : {1, 2, 13, 127, 1025, 5003, 40000}) {
    if (!draw.next()) continue;
    const Array x = random_reals({length}, -10, 10);
    EXPECT_TRUE(matches(logcumsumexp(upload(x), 0), logcumsumexp_of(x, 0), of_logs(length))) << length;
  }
}

EG_TEST(Logcumsumexp, along_axes_and_views) {
  const Array x = random_reals({13, 127}, -10, 10);
  for (int axis : {0, -1})
    for (const naive::ScanWay& way : {naive::ScanWay{}, naive::ScanWay{true, true}}) {
      const Tensor y = logcumsumexp(upload(x), axis, way.exclusive, way.reverse);
      EXPECT_TRUE(matches(y, logcumsumexp_of(x, axis, way), of_logs(127)));
    }
  check_over_some_views(
      random_array(DType::f32, {5, 13, 3}), [](const Tensor& a) { return logcumsumexp(a, 1); },
      [](const Array& a) { return logcumsumexp_of(a, 1); }, of_logs(13));
}

EG_TEST(Logcumsumexp, of_terms_far_apart) {
  // From -1000 up and down again: each sum differs from the largest so far by the terms beside it.
  const Array rising = generate(DType::f32, {2000}, [](const Dims& i) { return static_cast<double>(i[0]) - 1000; });
  const Array falling = naive::flip(rising, {0});
  EXPECT_TRUE(matches(logcumsumexp(upload(rising), 0), logcumsumexp_of(rising, 0), of_logs(2000)));
  EXPECT_TRUE(matches(logcumsumexp(upload(falling), 0), logcumsumexp_of(falling, 0), of_logs(2000)));
  // After a large term, smaller ones count by what they add to it.
  const Array same = generate(DType::f32, {1025}, [](const Dims&) { return 5e4; });
  EXPECT_TRUE(matches(logcumsumexp(upload(same), 0), logcumsumexp_of(same, 0), of_logs(1025)));
}

EG_TEST(Logcumsumexp, special_values) {
  const Array x{
      DType::f32,
      {4, 4},
      {-infinity, -infinity, 1, 2, 1, infinity, 2, infinity, 1, nan, 2, infinity, 3e38, 3e38, -infinity, -3e38}};
  const Array y = download(logcumsumexp(upload(x), 1));
  EXPECT_TRUE(matches(y, logcumsumexp_of(x, 1), of_logs(4)));
  const Array none{DType::f32, {5000}, Elements(5000, -infinity)};
  EXPECT_TRUE(matches(logcumsumexp(upload(none), 0), none));
  const Array late = with_every(random_reals({5000}, -1, 1), 3333, nan);
  EXPECT_TRUE(matches(logcumsumexp(upload(late), 0), logcumsumexp_of(late, 0), of_logs(5000)));
}

EG_TEST(Logcumsumexp, of_other_dtypes_and_of_nothing) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    const Array x = random_array(dtype, {13});
    EXPECT_TRUE(matches(logcumsumexp(upload(x), 0), logcumsumexp_of(naive::cast(x, DType::f32), 0), of_logs(13)));
  }
  EXPECT_TRUE(matches(logcumsumexp(zeros({0, 3}), 0), Array{DType::f32, {0, 3}, {}}));
}

}  // namespace
}  // namespace eglantine::test
