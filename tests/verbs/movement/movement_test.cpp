#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, Read);
EG_ON_EACH_DEVICE(Movement, Reshape);
EG_ON_EACH_DEVICE(Movement, Permute);
EG_ON_EACH_DEVICE(Movement, Expand);
EG_ON_EACH_DEVICE(Movement, Squeeze);
EG_ON_EACH_DEVICE(Movement, Flip);

EG_TEST(Read, every_view_of_every_shape) {
  check_over_views(
      DType::f32, every_shape(), [](const Tensor& x) { return x; }, [](const Array& x) { return x; });
}

EG_TEST(Read, every_view_of_every_dtype) {
  for (DType dtype : every_dtype)
    check_over_views(
        dtype, {{5, 13, 3}}, [](const Tensor& x) { return x; }, [](const Array& x) { return x; });
}

EG_TEST(Read, rank_eight) {
  const Array x = iota(DType::f32, {2, 3, 1, 2, 1, 3, 2, 2});
  const std::vector<int64_t> axes = {7, 3, 1, 5, 0, 2, 4, 6};
  EXPECT_TRUE(matches(upload(x).permute(axes), naive::permute(x, axes)));
}

EG_TEST(Reshape, merges_and_splits_axes) {
  for (const Dims& to : {Dims{24}, Dims{4, 6}, Dims{2, 2, 6}, Dims{1, 24, 1}, Dims{3, 2, 4}})
    check_over_views(
        DType::f32, {{2, 3, 4}}, [&](const Tensor& x) { return x.reshape(Shape(to)); },
        [&](const Array& x) { return naive::reshape(x, to); });
}

EG_TEST(Reshape, infers_one_length) {
  const Array x = iota(DType::i32, {6, 4});
  EXPECT_TRUE(matches(upload(x).reshape({3, -1}), naive::reshape(x, {3, 8})));
  EXPECT_TRUE(matches(upload(x).reshape({-1}), naive::reshape(x, {24})));
  EXPECT_TRUE(matches(reshape(upload(x), {2, -1, 3}), naive::reshape(x, {2, 4, 3})));
}

EG_TEST(Reshape, between_scalars_and_single_elements) {
  const Array x = iota(DType::f32, {1, 1});
  EXPECT_TRUE(matches(upload(x).reshape({}), naive::reshape(x, {})));
  EXPECT_TRUE(matches(upload(naive::reshape(x, {})).reshape({1, 1, 1}), naive::reshape(x, {1, 1, 1})));
  EXPECT_TRUE(matches(upload(naive::reshape(x, {})).reshape({-1}), naive::reshape(x, {1})));
}

EG_TEST(Reshape, of_nothing) {
  const Array x = iota(DType::f32, {0, 3});
  EXPECT_TRUE(matches(upload(x).reshape({5, 0}), naive::reshape(x, {5, 0})));
  EXPECT_TRUE(matches(upload(x).reshape({-1, 3}), x));
}

EG_TEST(Permute, every_order_of_three_axes) {
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    check_over_views(
        DType::f32, {{5, 13, 3}}, [&](const Tensor& x) { return x.permute(axes); },
        [&](const Array& x) { return naive::permute(x, axes); });
}

EG_TEST(Permute, negative_axes_count_from_the_end) {
  const Array x = iota(DType::f32, {2, 3, 4});
  EXPECT_TRUE(matches(permute(upload(x), {-1, 0, -2}), naive::permute(x, {2, 0, 1})));
  EXPECT_TRUE(matches(upload(x).transpose(-1, 0), naive::transpose(x, 2, 0)));
  EXPECT_TRUE(matches(transpose(upload(x), 1, 1), x));
}

EG_TEST(Permute, large_transpose) {
  check_over_views(
      DType::f32, {{127, 1025}}, [](const Tensor& x) { return x.transpose(0, 1); },
      [](const Array& x) { return naive::transpose(x, 0, 1); });
}

EG_TEST(Expand, repeats_axes_and_adds_axes_in_front) {
  for (const Dims& from : {Dims{}, Dims{1}, Dims{13}, Dims{1, 13}, Dims{3, 1}, Dims{3, 13}}) {
    const Array x = random_array(DType::f32, from);
    EXPECT_TRUE(matches(upload(x).expand({2, 3, 13}), naive::expand(x, {2, 3, 13})));
    EXPECT_TRUE(matches(expand(neg(upload(x)), {2, 3, 13}),
                        naive::expand(naive::map(x, DType::f32, [](double v) { return -v; }), {2, 3, 13})));
  }
}

EG_TEST(Expand, to_nothing) {
  const Array x = iota(DType::f32, {1, 3});
  EXPECT_TRUE(matches(upload(x).expand({0, 3}), naive::expand(x, {0, 3})));
  EXPECT_TRUE(matches(upload(x).expand({0, 1, 3}), naive::expand(x, {0, 1, 3})));
}

EG_TEST(Squeeze, drops_axes_of_length_one) {
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample x = view.hold(random_array(DType::f32, {1, 5, 1, 3, 1}));
    EXPECT_TRUE(matches(x.tensor.squeeze(), naive::reshape(x.array, {5, 3})));
    EXPECT_TRUE(matches(squeeze(x.tensor, {0, -1}), naive::reshape(x.array, {5, 1, 3})));
    EXPECT_TRUE(matches(x.tensor.unsqueeze(0), naive::reshape(x.array, {1, 1, 5, 1, 3, 1})));
    EXPECT_TRUE(matches(unsqueeze(x.tensor, -1), naive::reshape(x.array, {1, 5, 1, 3, 1, 1})));
    EXPECT_TRUE(matches(x.tensor.unsqueeze(-3), naive::reshape(x.array, {1, 5, 1, 1, 3, 1})));
  }
}

EG_TEST(Squeeze, of_scalars) {
  const Array x = random_array(DType::f32, {});
  EXPECT_TRUE(matches(upload(x).squeeze(), x));
  EXPECT_TRUE(matches(upload(x).unsqueeze(0), naive::reshape(x, {1})));
  EXPECT_TRUE(matches(upload(x).unsqueeze(-1).squeeze(), x));
}

EG_TEST(Flip, some_and_all_axes) {
  for (const std::vector<int64_t>& axes : {std::vector<int64_t>{}, {0}, {1}, {-1}, {0, 2}, {2, 1, 0}})
    check_over_views(
        DType::f32, {{5, 13, 3}, {2, 0, 5}}, [&](const Tensor& x) { return x.flip(axes); },
        [&](const Array& x) { return naive::flip(x, axes); });
}

EG_TEST(Flip, a_scalar_stays) {
  const Array x = random_array(DType::i32, {});
  EXPECT_TRUE(matches(flip(upload(x), {}), x));
}

EG_TEST(Read, movements_in_a_row_on_a_pending_expression) {
  const Array x = random_array(DType::f32, {6, 4, 10});
  const Tensor moved =
      square(upload(x)).permute({2, 0, 1}).flip({1}).slice(0, 1, {}, 3).reshape({3, 24}).transpose(0, 1);
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v; });
  const Array sliced = naive::slice(naive::flip(naive::permute(squares, {2, 0, 1}), {1}), 0, 1, {}, 3);
  EXPECT_TRUE(matches(moved, naive::transpose(naive::reshape(sliced, {3, 24}), 0, 1)));
}

}  // namespace
}  // namespace eglantine::test
