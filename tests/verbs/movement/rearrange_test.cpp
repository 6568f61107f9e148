#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"

/// Verbs made of movement, over every view, against where each element must come from.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, Rearrange);

using From = std::function<Dims(const Dims&)>;

Array rearranged(const Array& x, const Dims& shape, const From& from) {
  return generate(x.dtype, shape, [&](const Dims& index) { return x.at(from(index)); });
}

/// Where the verb only moves axes, or reads as its kin over every view do.
void expect_over_some_views(const std::function<Tensor(const Tensor&)>& verb, const Dims& shape, const From& from) {
  check_over_some_views(random_array(DType::f32, {5, 13, 3}), verb,
                        [&](const Array& x) { return rearranged(x, shape, from); });
}

void expect_over_views(const std::function<Tensor(const Tensor&)>& verb, const Dims& shape, const From& from) {
  check_over_views(DType::f32, {{5, 13, 3}}, verb, [&](const Array& x) { return rearranged(x, shape, from); });
}

EG_TEST(Rearrange, flatten_and_ravel) {
  expect_over_views([](const Tensor& x) { return flatten(x); }, {195},
                    [](const Dims& i) {
                      return Dims{i[0] / 39, i[0] / 3 % 13, i[0] % 3};
                    });
  expect_over_views(ravel, {195}, [](const Dims& i) { return Dims{i[0] / 39, i[0] / 3 % 13, i[0] % 3}; });
  expect_over_views([](const Tensor& x) { return flatten(x, 1); }, {5, 39},
                    [](const Dims& i) {
                      return Dims{i[0], i[1] / 3, i[1] % 3};
                    });
  expect_over_views([](const Tensor& x) { return flatten(x, 0, -2); }, {65, 3},
                    [](const Dims& i) {
                      return Dims{i[0] / 13, i[0] % 13, i[1]};
                    });
  EXPECT_EQ(flatten(ones({})).shape(), Shape({1}));
  EXPECT_EQ(ravel(ones({})).shape(), Shape({1}));
}

EG_TEST(Rearrange, axes) {
  expect_over_some_views([](const Tensor& x) { return moveaxis(x, 0, 2); }, {13, 3, 5},
                         [](const Dims& i) {
                           return Dims{i[2], i[0], i[1]};
                         });
  expect_over_some_views(
      [](const Tensor& x) {
        return moveaxis(x, {2, 0}, {0, -1});
      },
      {3, 13, 5},
      [](const Dims& i) {
        return Dims{i[2], i[1], i[0]};
      });
  expect_over_some_views(
      [](const Tensor& x) {
        return moveaxis(x, {-1, 1}, {1, 0});
      },
      {13, 3, 5},
      [](const Dims& i) {
        return Dims{i[2], i[0], i[1]};
      });
  expect_over_some_views([](const Tensor& x) { return swapaxes(x, 0, -1); }, {3, 13, 5},
                         [](const Dims& i) {
                           return Dims{i[2], i[1], i[0]};
                         });
}

EG_TEST(Rearrange, quarter_turns) {
  expect_over_some_views([](const Tensor& x) { return rot90(x); }, {13, 5, 3},
                         [](const Dims& i) {
                           return Dims{i[1], 12 - i[0], i[2]};
                         });
  const Tensor held = ones({5, 13, 3}).eval();
  for (int64_t turns : {-3, 5}) {
    const Layout once = rot90(held).layout(), turned = rot90(held, turns).layout();
    EXPECT_EQ(turned.shape, once.shape);
    EXPECT_EQ(turned.strides, once.strides);
    EXPECT_EQ(turned.offset, once.offset);
  }
  expect_over_some_views([](const Tensor& x) { return rot90(x, 2); }, {5, 13, 3},
                         [](const Dims& i) {
                           return Dims{4 - i[0], 12 - i[1], i[2]};
                         });
  expect_over_some_views([](const Tensor& x) { return rot90(x, -1); }, {13, 5, 3},
                         [](const Dims& i) {
                           return Dims{4 - i[1], i[0], i[2]};
                         });
  expect_over_some_views(
      [](const Tensor& x) {
        return rot90(x, 1, {2, 1});
      },
      {5, 3, 13},
      [](const Dims& i) {
        return Dims{i[0], 12 - i[2], i[1]};
      });
}

EG_TEST(Rearrange, repeated_elements_and_axes) {
  for (int axis : {0, 1, 2})
    for (int64_t count : {1, 3}) {
      Dims shape{5, 13, 3};
      const auto at = static_cast<size_t>(axis);
      const int64_t length = shape[at];
      shape[at] *= count;
      expect_over_some_views([=](const Tensor& x) { return repeat(x, count, axis); }, shape,
                             [=](Dims i) {
                               i[at] /= count;
                               return i;
                             });
      std::vector<int64_t> counts(3, 1);
      counts[at] = count;
      expect_over_some_views([=](const Tensor& x) { return tile(x, counts); }, shape,
                             [=](Dims i) {
                               i[at] %= length;
                               return i;
                             });
    }
  expect_over_some_views(
      [](const Tensor& x) {
        return tile(x, {2, 1, 3, 2});
      },
      {2, 5, 39, 6},
      [](const Dims& i) {
        return Dims{i[1], i[2] % 13, i[3] % 3};
      });
  expect_over_some_views([](const Tensor& x) { return tile(x, {2}); }, {5, 13, 6},
                         [](const Dims& i) {
                           return Dims{i[0], i[1], i[2] % 3};
                         });
  expect_over_some_views(
      [](const Tensor& x) {
        return tile(x, {2, 3, 2});
      },
      {10, 39, 6},
      [](const Dims& i) {
        return Dims{i[0] % 5, i[1] % 13, i[2] % 3};
      });
  EXPECT_EQ(repeat(ones({3, 2}), 0, 0).shape(), Shape({0, 2}));
  EXPECT_EQ(tile(ones({3, 2}), {0, 1}).shape(), Shape({0, 2}));
  const Array eight = iota(DType::i32, {2, 1, 1, 2, 1, 1, 1, 2});
  EXPECT_TRUE(matches(repeat(upload(eight), 2, 3), rearranged(eight, {2, 1, 1, 4, 1, 1, 1, 2}, [](Dims i) {
                        i[3] /= 2;
                        return i;
                      })));
}

/// Tiled in as many kernels.
void expect_tiled(const Dims& of, const std::vector<int64_t>& counts, int64_t kernels) {
  const Array x = iota(DType::i32, of);
  const Tensor held = upload(x), y = tile(held, counts);
  Dims shape = of;
  for (size_t i = 0; i < of.size(); ++i) shape[i] *= counts[i];
  const int64_t before = statistics(y.device()).kernels;
  y.eval();
  EXPECT_EQ(statistics(y.device()).kernels - before, kernels) << text(shape);
  EXPECT_TRUE(matches(y, rearranged(x, shape, [&](Dims i) {
                        for (size_t axis = 0; axis < i.size(); ++axis) i[axis] %= of[axis];
                        return i;
                      })));
}

EG_TEST(Rearrange, tiles_several_axes_in_one_kernel) {
  expect_tiled({5, 3, 2}, {2, 3, 2}, 1);
  expect_tiled({2, 3, 2, 3}, {3, 2, 3, 2}, 1);
  expect_tiled({1, 3, 1, 2, 1, 2}, {2, 2, 3, 1, 2, 2}, 1);
  expect_tiled({2, 1, 1, 2, 1, 1, 1, 3}, {1, 1, 1, 1, 1, 1, 1, 2}, 1);
  expect_tiled({2, 1, 1, 2, 1, 1, 1, 3}, {1, 1, 1, 2, 1, 1, 1, 1}, 1);
  expect_tiled({2, 3, 2, 3, 2}, {2, 2, 2, 2, 2}, 2);
  expect_tiled({2, 1, 2, 1, 2, 1, 2, 1}, {2, 2, 2, 2, 2, 2, 2, 2}, 2);
}

EG_TEST(Rearrange, without_elements_beside_long_axes) {
  const int64_t long_axis = int64_t{1} << 32;
  EXPECT_EQ(flatten(zeros({long_axis, long_axis / 2, 0})).shape(), Shape({0}));
  EXPECT_EQ(flatten(zeros({0, long_axis, long_axis / 4}), 0, 1).shape(), Shape({0, long_axis / 4}));
}

EG_TEST(Rearrange, parts) {
  const Array x = random_array(DType::i32, {5, 7});
  const std::vector<Tensor> parts = split_with_sizes(upload(x), {2, 0, 4, 1}, 1);
  ASSERT_EQ(parts.size(), 4U);
  const int64_t starts[] = {0, 2, 2, 6}, sizes[] = {2, 0, 4, 1};
  for (size_t k = 0; k < 4; ++k)
    EXPECT_TRUE(matches(parts[k], rearranged(x, {5, sizes[k]}, [&](const Dims& i) {
                          return Dims{i[0], i[1] + starts[k]};
                        })));
  const std::vector<Tensor> columns = unstack(upload(x), -1);
  ASSERT_EQ(columns.size(), 7U);
  for (int64_t k = 0; k < 7; ++k)
    EXPECT_TRUE(matches(columns[static_cast<size_t>(k)], rearranged(x, {5}, [&](const Dims& i) {
                          return Dims{i[0], k};
                        })));
}

EG_TEST(Rearrange, stacks) {
  const Array a = random_array(DType::f32, {3}, 1), b = random_array(DType::f32, {3}, 2);
  const Array c = random_array(DType::f32, {2, 3}, 3), d = random_array(DType::f32, {2, 5}, 4);
  const auto row = [](Array x) {
    x.shape.insert(x.shape.begin(), 1);
    return x;
  };
  EXPECT_TRUE(matches(hstack({upload(a), upload(b)}), naive::concatenate({a, b}, 0)));
  EXPECT_TRUE(matches(hstack({upload(c), upload(d)}), naive::concatenate({c, d}, 1)));
  EXPECT_TRUE(matches(vstack({upload(a), upload(c), upload(b)}), naive::concatenate({row(a), c, row(b)}, 0)));
  EXPECT_EQ(hstack({ones({}), ones({2})}).shape(), Shape({3}));
}

EG_TEST(Rearrange, ranks) {
  EXPECT_EQ(atleast_1d(ones({})).shape(), Shape({1}));
  EXPECT_EQ(atleast_2d(ones({3})).shape(), Shape({1, 3}));
  EXPECT_EQ(atleast_3d(ones({})).shape(), Shape({1, 1, 1}));
  EXPECT_EQ(atleast_3d(ones({3})).shape(), Shape({1, 3, 1}));
  EXPECT_EQ(atleast_3d(ones({2, 3})).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(atleast_3d(ones({2, 3, 4, 5})).shape(), Shape({2, 3, 4, 5}));
  EXPECT_EQ(broadcast_to(ones({3}), {2, 3}).shape(), Shape({2, 3}));
  const std::vector<Tensor> both = broadcast_tensors({ones({3}), ones({2, 1})});
  for (const Tensor& x : both) EXPECT_EQ(x.shape(), Shape({2, 3}));
  EXPECT_TRUE(broadcast_tensors({}).empty());
}

}  // namespace
}  // namespace eglantine::test
