#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_pooling.hpp"
#include "support/reference/special_values.hpp"

/// Adaptive pools against loops over their windows.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, AdaptivePools);
EG_ON_EACH_DEVICE(Graph, AdaptivePoolKernels);

constexpr Tolerance of_adaptive_sums{0, 1e-6, 1e-6};

void expect_pools(const Array& x, const Dims& sizes) {
  SCOPED_TRACE(text(x.shape) + " in " + text(sizes));
  EXPECT_TRUE(matches(adaptive_avg_pool(upload(x), sizes), naive::adaptive_pool(x, sizes, DType::f32, naive::mean_of),
                      of_adaptive_sums));
  EXPECT_TRUE(matches(adaptive_max_pool(upload(x), sizes), naive::adaptive_pool(x, sizes, x.dtype, naive::max_of)));
}

EG_TEST(AdaptivePools, every_size_of_small_axes) {
  Draw draw = draw_programs_one_of(8);
  for (int64_t length : {1, 2, 5, 6, 7})
    for (int64_t size = 1; size <= 9; ++size)
      if (draw.next()) expect_pools(random_array(DType::f32, {2, 3, length}), {size});
}

EG_TEST(AdaptivePools, of_two_and_three_axes) {
  Draw draw = draw_programs_one_of(3);
  const Array square = random_array(DType::f32, {2, 3, 10, 13}), cube = random_array(DType::f32, {1, 2, 5, 6, 7});
  for (const Dims& sizes : {Dims{1, 1}, Dims{5, 13}, Dims{7, 7}, Dims{5, 6}, Dims{12, 1}})
    if (draw.next()) expect_pools(square, sizes);
  for (const Dims& sizes : {Dims{1, 1, 1}, Dims{5, 3, 7}, Dims{3, 4, 5}})
    if (draw.next()) expect_pools(cube, sizes);
}

/// Windows of one element to windows that a reduction combines.
EG_TEST(AdaptivePools, of_few_and_of_many_elements_in_a_window) {
  const Array x = random_array(DType::f32, {1, 2, 23, 31});
  for (const Dims& sizes : {Dims{7, 30}, Dims{6, 7}, Dims{5, 9}, Dims{4, 5}, Dims{29, 40}, Dims{1, 30}})
    expect_pools(x, sizes);
}

/// The derivatives are sums over all windows: what they are taken by is pooled as it is otherwise.
EG_TEST(AdaptivePools, of_what_a_derivative_is_taken_by) {
  const Array x = random_array(DType::f32, {2, 3, 8, 7});
  const auto value = [](const Tensors& t) {
    return sum(adaptive_avg_pool(t[0], {5, 4}) * adaptive_max_pool(t[0], {5, 4}));
  };
  const auto [y, gradients] = value_and_grad(value, {upload(x)});
  EXPECT_TRUE(matches(y, download(value({upload(x)})), Tolerance{0, 1e-4, 1e-4}));
  EXPECT_EQ(gradients[0].shape(), (Shape{2, 3, 8, 7}));
}

EG_TEST(AdaptivePools, every_view) {
  for (const Dims& sizes : {Dims{2, 1}, Dims{5, 4}})
    check_over_some_views(
        random_array(DType::f32, {2, 3, 8, 7}), [&](const Tensor& x) { return adaptive_avg_pool(x, sizes); },
        [&](const Array& x) { return naive::adaptive_pool(x, sizes, DType::f32, naive::mean_of); }, of_adaptive_sums);
}

EG_TEST(AdaptivePools, of_every_dtype) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {1, 2, 7});
    EXPECT_TRUE(matches(adaptive_max_pool(upload(x), 3), naive::adaptive_pool(x, {3}, dtype, naive::max_of)));
    EXPECT_TRUE(matches(adaptive_avg_pool(upload(x), 3),
                        naive::adaptive_pool(x, {3}, is_float(dtype) ? dtype : DType::f32, naive::mean_of),
                        of_adaptive_sums));
  }
}

EG_TEST(AdaptivePools, special_values_stay_in_their_windows) {
  Array x = random_array(DType::f32, {1, 3, 7});
  x.values[2] = nan;
  x.values[9] = infinity;
  x.values[20] = -infinity;
  expect_pools(x, {3});
  expect_pools(x, {5});
  expect_pools(x, {7});
}

EG_TEST(AdaptivePools, without_n_and_without_elements) {
  expect_pools(random_array(DType::f32, {3, 7, 5}), {3, 2});
  EXPECT_EQ(adaptive_avg_pool(zeros({0, 3, 7}), 3).shape(), (Shape{0, 3, 3}));
  EXPECT_EQ(adaptive_max_pool(zeros({2, 3, 0}, DType::u8), 0).shape(), (Shape{2, 3, 0}));
  EXPECT_EQ(adaptive_max_pool(zeros({2, 3, 5}, DType::u8), 0).dtype(), DType::u8);
}

EG_TEST(AdaptivePoolKernels, are_one) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 12, 5}));
  EXPECT_EQ(kernels_of(adaptive_avg_pool(x, 1)), 1);
  EXPECT_EQ(kernels_of(adaptive_max_pool(x, {4, 5})), 1);
  EXPECT_EQ(kernels_of(adaptive_max_pool(x, {3, 4})), 1);  // of 5 elements 4 windows of 2
}

EG_TEST(AdaptivePoolKernels, of_windows_that_differ) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 12, 5}));
  EXPECT_EQ(kernels_of(relu(adaptive_avg_pool(x, {5, 3}))), 1);
  EXPECT_EQ(kernels_of(adaptive_max_pool(x, {5, 3}) + 1.0F), 1);
  const Tensor volumes = upload(random_array(DType::f32, {1, 2, 5, 7, 6}));
  EXPECT_EQ(kernels_of(adaptive_avg_pool(volumes, {3, 4, 5})), 1);
  EXPECT_EQ(kernels_of(adaptive_max_pool(volumes, 4)), 1);
}

/// Of more elements than a map combines: a reduction, for which the CPU gathers them first.
EG_TEST(AdaptivePoolKernels, of_long_windows_that_differ) {
  const int64_t count = device().info().kind == "cpu" ? 2 : 1;
  const Tensor x = upload(random_array(DType::f32, {2, 3, 20, 17}));
  EXPECT_EQ(kernels_of(adaptive_avg_pool(x, {3, 2})), count);
  EXPECT_EQ(kernels_of(adaptive_max_pool(x, {3, 2})), count);
}

}  // namespace
}  // namespace eglantine::test
