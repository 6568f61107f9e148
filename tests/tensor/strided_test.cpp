#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/reference/naive.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Views, Layout);
EG_ON_EACH_DEVICE(Views, AsStrided);

using Strides = std::vector<int64_t>;

void expect_layout(const Tensor& x, const eglantine::Shape& shape, const Strides& strides, int64_t offset) {
  const eglantine::Layout layout = x.layout();
  EXPECT_EQ(layout.shape, shape);
  EXPECT_EQ(layout.strides, strides);
  EXPECT_EQ(layout.offset, offset);
}

EG_TEST(Layout, of_each_movement_of_a_computed_tensor) {
  const Tensor x = upload(iota(DType::f32, {4, 6}));
  expect_layout(x, {4, 6}, {6, 1}, 0);
  expect_layout(x.transpose(0, 1), {6, 4}, {1, 6}, 0);
  expect_layout(x.slice(1, 1, {}, 2), {4, 3}, {6, 2}, 1);
  expect_layout(x.slice(0, -1, {}, -1), {4, 6}, {-6, 1}, 18);
  expect_layout(x.flip({1}), {4, 6}, {6, -1}, 5);
  expect_layout(x.crop({{1, 3}, {2, 6}}), {2, 4}, {6, 1}, 8);
  expect_layout(x.reshape({2, 2, 6}), {2, 2, 6}, {12, 6, 1}, 0);
  expect_layout(x.slice(0, 1).reshape({18}), {18}, {1}, 6);
  EXPECT_EQ(x.slice(0, 2, 3).expand({5, 6}).layout().strides, (Strides{0, 1}));
  EXPECT_EQ(x.unsqueeze(1).shape(), (eglantine::Shape{4, 1, 6}));
}

EG_TEST(Layout, says_what_is_contiguous) {
  const Tensor x = upload(iota(DType::f32, {4, 6}));
  EXPECT_TRUE(x.layout().is_contiguous());
  EXPECT_TRUE(x.slice(0, 1, 3).layout().is_contiguous());
  EXPECT_TRUE(x.unsqueeze(0).layout().is_contiguous());
  EXPECT_FALSE(x.transpose(0, 1).layout().is_contiguous());
  EXPECT_FALSE(x.slice(1, 1).layout().is_contiguous());
  EXPECT_FALSE(x.flip({}).layout().is_contiguous());
  EXPECT_TRUE(x.slice(1, 2, 3).slice(0, 2, 3).layout().is_contiguous());
  EXPECT_EQ(x.layout().size(), 24);
}

EG_TEST(Layout, of_a_pending_expression_is_contiguous) {
  const Tensor x = neg(upload(iota(DType::f32, {4, 6})));
  expect_layout(x, {4, 6}, {6, 1}, 0);
  expect_layout(x.transpose(0, 1), {6, 4}, {4, 1}, 0);
  expect_layout(upload(iota(DType::f32, {4, 6})).transpose(0, 1).reshape({24}), {24}, {1}, 0);
}

EG_TEST(AsStrided, windows_diagonals_and_repeats) {
  const Array x = iota(DType::f32, {20});
  const Tensor held = upload(x);
  const auto strided = [&](const Dims& shape, const Dims& strides, int64_t offset) {
    return generate(DType::f32, shape, [&](const Dims& index) {
      int64_t address = offset;
      for (size_t i = 0; i < index.size(); ++i) address += index[i] * strides[i];
      return static_cast<double>(address);
    });
  };
  for (const auto& [shape, strides, offset] : std::vector<std::tuple<Dims, Dims, int64_t>>{{{16, 5}, {1, 1}, 0},
                                                                                           {{4}, {6}, 1},
                                                                                           {{3, 4}, {0, 2}, 5},
                                                                                           {{20}, {-1}, 19},
                                                                                           {{2, 3, 3}, {9, -2, 3}, 4},
                                                                                           {{}, {}, 7},
                                                                                           {{0, 3}, {100, 100}, 0}}) {
    EXPECT_TRUE(matches(held.as_strided(eglantine::Shape(shape), strides, offset), strided(shape, strides, offset)));
    EXPECT_TRUE(
        matches(neg(neg(held)).as_strided(eglantine::Shape(shape), strides, offset), strided(shape, strides, offset)));
    EXPECT_TRUE(matches(sum(held.as_strided(eglantine::Shape(shape), strides, offset)),
                        naive::sum(strided(shape, strides, offset), {})));
  }
}

EG_TEST(AsStrided, offset_is_absolute_in_the_buffer) {
  const Tensor view = upload(iota(DType::f32, {20})).slice(0, 10);
  EXPECT_EQ(view.as_strided({2}, {1}, 0).to_vector<float>(), (std::vector<float>{0, 1}));
}

EG_TEST(AsStrided, of_a_pending_view_sees_the_computed_elements) {
  const Tensor view = neg(upload(iota(DType::f32, {2, 3}))).transpose(0, 1);
  EXPECT_EQ(view.as_strided({6}, {1}).to_vector<float>(), (std::vector<float>{0, -3, -1, -4, -2, -5}));
}

}  // namespace
}  // namespace eglantine::test
