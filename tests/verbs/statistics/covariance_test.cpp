#include "verbs/statistics/statistics.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, Trace);
EG_ON_EACH_DEVICE(Statistics, Cov);
EG_ON_EACH_DEVICE(Statistics, Corrcoef);
EG_ON_EACH_DEVICE(Statistics, FlatArgmax);

EG_TEST(Trace, of_matrices_and_batches) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : {Dims{1, 1}, Dims{13, 13}, Dims{5, 127}, Dims{127, 5}, Dims{3, 5, 4}, Dims{2, 3, 4, 5},
                            Dims{0, 3}, Dims{2, 0, 3}, Dims{0, 3, 3}}) {
    if (!draw.next()) continue;
    const Array x = random_array(DType::f32, shape);
    EXPECT_TRUE(matches(trace(upload(x)), trace_of(x), {0, 1e-5, 1e-5})) << text(shape);
  }
}

EG_TEST(Trace, of_views_and_every_dtype) {
  check_over_some_views(random_array(DType::f32, {3, 5, 13}), trace, trace_of, {0, 1e-5, 1e-5});
  for (DType dtype : wide_dtypes) {
    const Array x = random_array(dtype, {4, 5});
    EXPECT_TRUE(matches(trace(upload(x)), trace_of(x), {0, 1e-5, 1e-5})) << name_of(dtype);
  }
  const Array wrapping = random_bits(DType::i32, {13, 13});
  EXPECT_TRUE(matches(trace(upload(wrapping)), trace_of(wrapping)));
}

EG_TEST(Cov, of_matrices) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : {Dims{1, 13}, Dims{3, 2}, Dims{13, 1025}})
    for (double correction : {1.0, 0.0, 1.5}) {
      if (!draw.next()) continue;
      const Array x = random_reals(shape, -1, 3);
      EXPECT_TRUE(matches(cov(upload(x), correction), cov_of(x, correction), {0, 1e-5, 1e-5})) << text(shape);
    }
}

EG_TEST(Cov, of_views_and_every_dtype) {
  const auto reference = [](const Array& x) { return cov_of(x, 1); };
  check_over_some_views(random_array(DType::f32, {5, 13}), [](const Tensor& x) { return cov(x); }, reference,
                        {0, 1e-5, 1e-5});
  for (DType dtype : wide_dtypes) {
    const Array x = random_array(dtype, {4, 13});
    EXPECT_TRUE(matches(cov(upload(x)), cov_of(x, 1), {0, 1e-5, 1e-4})) << name_of(dtype);
  }
}

EG_TEST(Cov, of_one_variable_has_rank_0) {
  const Array x = random_reals({127}, -1, 3);
  Array expected = cov_of(naive::reshape(x, {1, 127}), 1);
  expected.shape = {};
  EXPECT_TRUE(matches(cov(upload(x)), expected, {0, 1e-5, 1e-6}));
  EXPECT_TRUE(matches(cov(Tensor(3.0F), 0), Array{DType::f32, {}, {0}}));
  EXPECT_TRUE(matches(corrcoef(upload(x)), Array{DType::f32, {}, {1}}, {2, 0, 0}));
}

EG_TEST(Cov, divides_by_zero_where_the_correction_leaves_nothing) {
  EXPECT_TRUE(matches(cov(Tensor::from({1.0F, 5.0F}, {2, 1})), Array{DType::f32, {2, 2}, {nan, nan, nan, nan}}));
  EXPECT_TRUE(matches(cov(Tensor::from({0.0F, 1.0F, 1.0F, 0.0F}, {2, 2}), 3),
                      Array{DType::f32, {2, 2}, {infinity, -infinity, -infinity, infinity}}));
  EXPECT_TRUE(matches(cov(zeros({0, 3})), Array{DType::f32, {0, 0}, {}}));
}

EG_TEST(Corrcoef, of_matrices_and_views) {
  for (const Dims& shape : {Dims{2, 3}, Dims{13, 127}}) {
    const Array x = random_reals(shape, -1, 3);
    EXPECT_TRUE(matches(corrcoef(upload(x)), corrcoef_of(x), {0, 1e-5, 1e-5})) << text(shape);
  }
  check_over_some_views(random_array(DType::f32, {5, 13}), corrcoef, corrcoef_of, {0, 1e-5, 1e-5});
  EXPECT_TRUE(matches(corrcoef(zeros({0, 3})), Array{DType::f32, {0, 0}, {}}));
}

EG_TEST(Corrcoef, lies_within_one) {
  const Array row = random_reals({1, 1025}, 0, 1);
  const Tensor x = concatenate({upload(row), upload(row) * 3.0F, upload(row) * -0.7F}, 0);
  for (double v : download(corrcoef(x)).values) {
    EXPECT_LE(std::abs(v), 1);
    EXPECT_GE(std::abs(v), 1 - 1e-5);
  }
}

EG_TEST(Corrcoef, is_symmetric_with_ones_on_the_diagonal_in_three_kernels) {
  const Tensor x = upload(random_reals({13, 1025}, -1, 3)), c = corrcoef(x);
  EXPECT_EQ(kernels_of(c), 3);
  EXPECT_TRUE(same_bits(c, c.transpose(0, 1)));
  EXPECT_TRUE(matches(diagonal(c), generate(DType::f32, {13}, [](const Dims&) { return 1.0; }), {2, 0, 0}));
}

EG_TEST(Corrcoef, of_variables_of_any_scale) {
  const Array rows = random_reals({3, 127}, -1, 1);
  const Tensor x = upload(rows), scale = Tensor::from({1e-15F, 1.0F, 1e15F}, {3, 1});
  EXPECT_TRUE(matches(corrcoef(x * scale), corrcoef_of(rows), {0, 1e-5, 1e-5}));
}

EG_TEST(Corrcoef, of_a_variable_that_does_not_vary) {
  const Array y = download(corrcoef(Tensor::from({1.0F, 1.0F, 1.0F, 1.0F, 2.0F, 4.0F}, {2, 3})));
  EXPECT_TRUE(std::isnan(y.values[0]) && std::isnan(y.values[1]) && std::isnan(y.values[2]));
  EXPECT_NEAR(y.values[3], 1, 1e-6);
}

Array flat(const Array& x) { return naive::reshape(x, {x.size()}); }

EG_TEST(FlatArgmax, of_views_and_every_dtype) {
  for (const char* name : {"contiguous", "permuted", "broadcast"}) {
    const Sample x = view(name).hold(random_array(DType::f32, {5, 13, 37}));
    EXPECT_TRUE(matches(argmax(x.tensor), naive::argmax(flat(x.array), 0))) << name;
  }
  for (DType dtype : {DType::i32, DType::boolean}) {
    const Array ties{dtype, {13, 127}, random_array(DType::boolean, {13, 127}).values};
    EXPECT_TRUE(matches(argmin(upload(ties)), naive::argmin(flat(ties), 0))) << name_of(dtype);
  }
}

EG_TEST(FlatArgmax, special_values_and_scalars) {
  const Array x{DType::f32, {2, 3}, {1, infinity, -infinity, nan, nan, 2}};
  EXPECT_EQ(argmax(upload(x)).item<int32_t>(), 3);
  EXPECT_EQ(argmin(upload(x)).item<int32_t>(), 3);
  EXPECT_EQ(argmax(Tensor(7.0F)).item<int32_t>(), 0);
  EXPECT_EQ(argmax(Tensor(7.0F)).shape(), Shape{});
}

}  // namespace
}  // namespace eglantine::test
