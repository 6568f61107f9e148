#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// Channels as places and back, against the formulas of each index.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, DepthToSpace);

/// The places of blocks from the channel that `channel` gives of (row, column, c of count).
template <class Channel>
Array to_space(const Array& x, int64_t block, Channel channel) {
  Dims shape = x.shape;
  const size_t c = shape.size() - 3;
  shape[c] /= block * block;
  shape[c + 1] *= block;
  shape[c + 2] *= block;
  return generate(x.dtype, shape, [&](const Dims& index) {
    Dims from = index;
    from[c] = channel(index[c + 1] % block, index[c + 2] % block, index[c], shape[c]);
    from[c + 1] /= block;
    from[c + 2] /= block;
    return x.at(from);
  });
}

Array depth_to_space(const Array& x, int64_t block) {
  return to_space(x, block, [&](int64_t row, int64_t column, int64_t c, int64_t count) {
    return (row * block + column) * count + c;
  });
}

Array pixel_shuffle(const Array& x, int64_t block) {
  return to_space(x, block,
                  [&](int64_t row, int64_t column, int64_t c, int64_t) { return (c * block + row) * block + column; });
}

EG_TEST(DepthToSpace, every_view) {
  const Array x = random_array(DType::f32, {2, 12, 3, 5});
  check_over_some_views(
      x, [](const Tensor& t) { return depth_to_space(t, 2); }, [](const Array& a) { return depth_to_space(a, 2); });
  check_over_some_views(
      x, [](const Tensor& t) { return pixel_shuffle(t, 2); }, [](const Array& a) { return pixel_shuffle(a, 2); });
}

EG_TEST(DepthToSpace, space_to_depth_and_pixel_unshuffle_invert) {
  for (int64_t block : {1, 2, 3}) {
    const Array x = random_array(DType::i32, {2, 2 * block * block, 3, 4});
    EXPECT_TRUE(matches(space_to_depth(upload(depth_to_space(x, block)), block), x));
    EXPECT_TRUE(matches(pixel_unshuffle(upload(pixel_shuffle(x, block)), block), x));
  }
}

EG_TEST(DepthToSpace, any_axes_in_front) {
  for (const Dims& front : {Dims{}, Dims{3}, Dims{2, 1, 3}, Dims{2, 1, 3, 1}, Dims{2, 1, 3, 1, 2}}) {
    Dims shape = front;
    shape.insert(shape.end(), {8, 2, 3});
    const Array x = random_array(DType::f32, shape);
    EXPECT_TRUE(matches(depth_to_space(upload(x), 2), depth_to_space(x, 2)));
    EXPECT_TRUE(matches(space_to_depth(upload(depth_to_space(x, 2)), 2), x));
    EXPECT_TRUE(matches(pixel_unshuffle(upload(pixel_shuffle(x, 2)), 2), x));
  }
}

EG_TEST(DepthToSpace, of_every_dtype_and_of_nothing) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {1, 4, 2, 3});
    EXPECT_TRUE(matches(depth_to_space(upload(x), 2), depth_to_space(x, 2)));
  }
  EXPECT_EQ(depth_to_space(zeros({0, 8, 2, 3}), 2).shape(), (Shape{0, 2, 4, 6}));
  EXPECT_EQ(pixel_unshuffle(zeros({2, 0, 4, 6}), 2).shape(), (Shape{2, 0, 2, 3}));
  EXPECT_EQ(space_to_depth(zeros({2, 3, 0, 6}), 3).shape(), (Shape{2, 27, 0, 2}));
}

EG_TEST(DepthToSpace, is_a_view_or_one_kernel) {
  const Tensor x = upload(random_array(DType::f32, {2, 8, 4, 6}));
  EXPECT_EQ(kernels_of(depth_to_space(relu(x), 2)), 1);
  EXPECT_EQ(kernels_of(pixel_unshuffle(x + 1, 2)), 1);
  // Of a width of 1 only the order of axes changes.
  const Tensor column = upload(random_array(DType::f32, {2, 8, 1, 1}));
  EXPECT_EQ(kernels_of(depth_to_space(column, 2) + 1), 1);
  EXPECT_EQ(depth_to_space(column, 2).layout().strides, (std::vector<int64_t>{8, 1, 4, 2}));
}

}  // namespace
}  // namespace eglantine::test
