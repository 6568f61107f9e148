#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_remap.hpp"

/// windows: overlapping views, read by each family of kernels.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, SlidingWindows);

EG_TEST(SlidingWindows, over_every_view) {
  check_over_views(
      DType::f32, {{5, 13, 3}, {4, 9, 0}}, [](const Tensor& x) { return windows(x, 1, {4}); },
      [](const Array& x) { return naive::windows(x, {1}, {4}, {1}, {1}); });
  check_over_views(
      DType::f32, {{5, 13, 3}},
      [](const Tensor& x) {
        return windows(x, {-1, 1}, {2, 3}, {1, 2}, {2, 4});
      },
      [](const Array& x) {
        return naive::windows(x, {2, 1}, {2, 3}, {1, 2}, {2, 4});
      });
}

EG_TEST(SlidingWindows, of_all_axes_and_of_none) {
  const Array x = random_array(DType::f32, {5, 13});
  EXPECT_TRUE(matches(windows(upload(x), {}, {2, 13}), naive::windows(x, {0, 1}, {2, 13}, {1, 1}, {1, 1})));
  const Array scalar = random_array(DType::f32, {});
  EXPECT_TRUE(matches(windows(upload(scalar), {}, {}), scalar));
  const Array line = iota(DType::i32, {4});
  EXPECT_TRUE(matches(windows(upload(line), 0, {1}), naive::windows(line, {0}, {1}, {1}, {1})));
  EXPECT_TRUE(
      matches(windows(upload(line), 0, {1}, {INT64_MAX}, {INT64_MAX}), naive::windows(line, {0}, {1}, {9}, {1})));
}

EG_TEST(SlidingWindows, of_an_axis_named_twice) {
  const Array x = iota(DType::i32, {13});
  // Four windows of three elements, three apart; then windows of two of those four places.
  const Array wanted = generate(DType::i32, {3, 3, 2}, [](const Dims& i) { return 3 * i[0] + i[1] + 3 * i[2]; });
  EXPECT_TRUE(matches(windows(upload(x), {0, 0}, {3, 2}, {3, 1}), wanted));
}

EG_TEST(SlidingWindows, of_every_dtype) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {4, 127});
    EXPECT_TRUE(matches(windows(upload(x), 1, {5}, {3}), naive::windows(x, {1}, {5}, {3}, {1})));
  }
}

EG_TEST(SlidingWindows, of_rank_eight) {
  const Array x = random_array(DType::f32, {3, 2, 4, 3});
  EXPECT_TRUE(matches(windows(upload(x), {}, {2, 1, 3, 2}),
                      naive::windows(x, {0, 1, 2, 3}, {2, 1, 3, 2}, Dims(4, 1), Dims(4, 1))));
}

EG_TEST(SlidingWindows, nothing_is_copied) {
  const Tensor x = arange(0, 20).eval();
  const Layout layout = windows(x, 0, {4}, {2}, {3}).layout();
  EXPECT_EQ(layout.shape, Shape({6, 4}));
  EXPECT_EQ(layout.strides, (std::vector<int64_t>{2, 3}));
}

/// Reading an element through many coordinates, by every family.
EG_TEST(SlidingWindows, read_by_reductions_scans_and_rows) {
  const Array x = random_array(DType::i32, {7, 40}), y = naive::windows(x, {1, 0}, {5, 3}, {2, 1}, {3, 2});
  for (const Tensor& base : {upload(x), upload(x) + 0}) {
    const Tensor view = windows(base, {1, 0}, {5, 3}, {2, 1}, {3, 2});
    EXPECT_TRUE(matches(sum(view, {2, 3}), naive::sum(y, {2, 3})));
    EXPECT_TRUE(matches(max(view, {0, 2}), naive::max(y, {0, 2})));
    EXPECT_TRUE(matches(argmax(view, 1), naive::argmax(y, 1)));
    EXPECT_TRUE(matches(cumsum(view, 2), naive::cumsum(y, 2)));
    EXPECT_TRUE(matches(sort(view, 1), naive::sort(y, 1).keys));
  }
}

EG_TEST(SlidingWindows, read_by_products_and_indices) {
  const Array x = random_array(DType::i32, {3, 40}), w = random_array(DType::i32, {5, 4}, 2);
  const Array y = naive::windows(x, {1}, {5}, {1}, {2}), indices{DType::i32, {3}, {3, 0, 31}};
  for (const Tensor& base : {upload(x), upload(x) + 0}) {
    const Tensor view = windows(base, 1, {5}, {}, {2});
    EXPECT_TRUE(matches(matmul(view, upload(w)), naive::matmul(y, w)));
    EXPECT_TRUE(matches(take(view, upload(indices), 1), naive::take(y, indices, 1)));
  }
}

EG_TEST(SlidingWindows, of_windows_and_of_what_is_cut_and_turned) {
  const Array x = random_array(DType::f32, {9, 10});
  const Array once = naive::windows(x, {0}, {3}, {2}, {1});
  EXPECT_TRUE(matches(windows(windows(upload(x), 0, {3}, {2}), {1, 2}, {4, 2}),
                      naive::windows(once, {1, 2}, {4, 2}, {1, 1}, {1, 1})));
  EXPECT_TRUE(matches(
      windows(upload(x).transpose(0, 1).flip(0).slice(1, 1, 8), {0}, {3}),
      naive::windows(naive::crop(naive::flip(naive::transpose(x, 0, 1), {0}), {{0, 10}, {1, 8}}), {0}, {3}, {1}, {1})));
}

}  // namespace
}  // namespace eglantine::test
