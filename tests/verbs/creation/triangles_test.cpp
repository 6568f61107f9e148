#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/compare.hpp"
#include "support/devices.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/shapes.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Creation, Tri);
EG_ON_EACH_DEVICE(Creation, Triangles);
EG_ON_EACH_DEVICE(Creation, Diagonal);
EG_ON_EACH_DEVICE(Creation, Diag);
EG_ON_EACH_DEVICE(Creation, Meshgrid);

constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

/// Not j - i <= k, which overflows.
bool is_lower(int64_t i, int64_t j, int64_t k) { return static_cast<long double>(j) - i <= k; }
bool is_upper(int64_t i, int64_t j, int64_t k) { return static_cast<long double>(j) - i >= k; }

EG_TEST(Tri, square_wide_tall_and_empty) {
  for (const Dims& shape : {Dims{3, 3}, Dims{3, 5}, Dims{5, 3}, Dims{1, 1}, Dims{0, 0}, Dims{3, 0}, Dims{67, 131}})
    for (int64_t k :
         {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-4}, int64_t{100}, int64_t{-200}, least, most})
      EXPECT_TRUE(matches(tri(shape[0], shape[1], k),
                          generate(DType::f32, shape, [&](const Dims& i) { return is_lower(i[0], i[1], k) ? 1 : 0; })))
          << text(shape) << " " << k;
  for (DType dtype : every_dtype)
    EXPECT_TRUE(matches(tri(4, -1, 1, dtype), generate(dtype, {4, 4}, [](const Dims& i) { return i[1] <= i[0] + 1; })));
}

/// Matrices of the last two axes.
template <class Keeps>
Array triangle(const Array& x, int64_t k, Keeps keeps) {
  return generate(x.dtype, x.shape,
                  [&](const Dims& i) { return keeps(i[i.size() - 2], i[i.size() - 1], k) ? x.at(i) : 0; });
}

EG_TEST(Triangles, over_views_and_batches) {
  const std::vector<Dims> shapes = {{13, 7}, {5, 3, 4}};
  check_over_views(
      DType::f32, shapes, [](const Tensor& x) { return tril(x, -2); },
      [](const Array& x) { return triangle(x, -2, is_lower); });
  check_over_views(
      DType::f32, shapes, [](const Tensor& x) { return triu(x, 2); },
      [](const Array& x) { return triangle(x, 2, is_upper); });
}

EG_TEST(Triangles, of_every_shape_and_dtype) {
  Draw draw = draw_programs_one_of(4);
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{13, 127}, Dims{0, 3}, Dims{2, 0, 5}, Dims{2, 3, 4, 5}}) {
      if (!draw.next()) continue;
      const Array x = random_array(dtype, shape);
      EXPECT_TRUE(matches(tril(upload(x)), triangle(x, 0, is_lower))) << text(shape);
      EXPECT_TRUE(matches(triu(upload(x)), triangle(x, 0, is_upper))) << text(shape);
    }
}

EG_TEST(Triangles, of_every_diagonal) {
  const Array x = random_array(DType::f32, {4, 6});
  for (int64_t k : {int64_t{-5}, int64_t{-4}, int64_t{-3}, int64_t{3}, int64_t{5}, int64_t{6}, int64_t{7}, least,
                    least + 1, most}) {
    EXPECT_TRUE(matches(tril(upload(x), k), triangle(x, k, is_lower))) << k;
    EXPECT_TRUE(matches(triu(upload(x), k), triangle(x, k, is_upper))) << k;
  }
}

EG_TEST(Triangles, hold_0_whatever_was_there) {
  for (double value : {std::nan(""), HUGE_VAL, -HUGE_VAL, -1.0}) {
    const Array x{DType::f32, {13, 13}, std::vector<double>(169, value)};
    EXPECT_TRUE(matches(tril(upload(x)), triangle(x, 0, is_lower), bitwise)) << value;
    EXPECT_TRUE(matches(triu(upload(x)), triangle(x, 0, is_upper), bitwise)) << value;
  }
}

EG_TEST(Triangles, fuse) {
  const Array x = random_array(DType::f32, {67, 131});
  const Tensor held = upload(x).eval();
  const int64_t before = statistics(device()).kernels;
  (tril(held * 2) + 1).eval();
  EXPECT_EQ(statistics(device()).kernels - before, 1);
}

/// The axes but a and b, then the diagonal.
Array diagonal_reference(const Array& x, int64_t k, size_t a, size_t b) {
  Dims shape;
  for (size_t i = 0; i < x.shape.size(); ++i)
    if (i != a && i != b) shape.push_back(x.shape[i]);
  int64_t length = 0;
  for (int64_t i = 0; i < x.shape[a]; ++i)
    for (int64_t j = 0; j < x.shape[b]; ++j) length += static_cast<long double>(j) - i == k ? 1 : 0;
  shape.push_back(length);
  return generate(x.dtype, shape, [&](const Dims& at) {
    Dims from(x.shape.size());
    size_t next = 0;
    for (size_t i = 0; i < from.size(); ++i)
      if (i != a && i != b) from[i] = at[next++];
    from[a] = at.back() + (k < 0 ? -k : 0);
    from[b] = at.back() + (k > 0 ? k : 0);
    return x.at(from);
  });
}

EG_TEST(Diagonal, over_views_axes_and_places) {
  // A view of any view: what differs is its offset and its stride.
  for (int64_t k : {0, -2, 1, 20})
    for (const Dims& shape : {Dims{13, 13}, Dims{0, 3}, Dims{1, 13}, Dims{7, 4}, Dims{127, 3}})
      check_over_some_views(
          random_array(DType::f32, shape), [&](const Tensor& x) { return diagonal(x, k); },
          [&](const Array& x) { return diagonal_reference(x, k, 0, 1); });
  for (const auto& [a, b] : {std::pair<int, int>{0, 1}, {2, 0}, {1, 2}, {-1, -3}, {0, -1}})
    for (const Dims& shape : {Dims{5, 13, 3}, Dims{3, 4, 4, 5}, Dims{2, 0, 5}})
      check_over_some_views(
          random_array(DType::f32, shape), [&, a = a, b = b](const Tensor& x) { return diagonal(x, 1, a, b); },
          [&, a = a, b = b](const Array& x) {
            const auto rank = static_cast<int>(x.shape.size());
            return diagonal_reference(x, 1, static_cast<size_t>((a + rank) % rank),
                                      static_cast<size_t>((b + rank) % rank));
          });
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {13, 7});
    EXPECT_TRUE(matches(diagonal(upload(x), -3), diagonal_reference(x, -3, 0, 1)));
  }
}

EG_TEST(Diagonal, outside_of_the_matrix_is_empty) {
  for (int64_t k : {int64_t{4}, int64_t{-3}, least, most}) {
    EXPECT_EQ(diagonal(ones({3, 4}), k).shape(), (Shape{0})) << k;
    EXPECT_EQ(diagonal(ones({3, 4, 5}), k, 0, 1).shape(), (Shape{5, 0})) << k;
  }
}

EG_TEST(Diagonal, is_a_view) {
  const Tensor x = upload(iota(DType::f32, {4, 6, 5}));
  const Layout layout = diagonal(x, 1, 0, 2).layout();
  EXPECT_EQ(layout.shape, (Shape{6, 4}));
  EXPECT_EQ(layout.strides, (std::vector<int64_t>{5, 31}));
  EXPECT_EQ(layout.offset, 1);
  const Layout below = diagonal(x.slice(0, 3, {}, -1), -2, 0, 1).layout();
  EXPECT_EQ(below.shape, (Shape{5, 2}));
  EXPECT_EQ(below.strides, (std::vector<int64_t>{1, 5 - 30}));
  EXPECT_EQ(below.offset, 30);
  EXPECT_EQ(diag(upload(iota(DType::f32, {3, 3}))).layout().strides, (std::vector<int64_t>{4}));
}

Array matrix_of(const Array& x, int64_t k) {
  const int64_t length = x.shape[0] + std::abs(k);
  return generate(x.dtype, {length, length},
                  [&](const Dims& i) { return i[1] - i[0] == k ? x.at({std::min(i[0], i[1])}) : 0; });
}

EG_TEST(Diag, makes_a_matrix_of_a_vector) {
  check_over_views(
      DType::f32, {{13}}, [](const Tensor& x) { return diag(x, 3); }, [](const Array& x) { return matrix_of(x, 3); });
  Draw draw = draw_programs_one_of(5);
  for (DType dtype : every_dtype)
    for (int64_t length : {0, 1, 13, 127})
      for (int64_t k : {0, 3, -2}) {
        if (!draw.next()) continue;
        const Array x = random_array(dtype, {length});
        EXPECT_TRUE(matches(diag(upload(x), k), matrix_of(x, k))) << length << " " << k;
      }
}

EG_TEST(Diag, takes_the_diagonal_of_a_matrix) {
  const Array x = random_array(DType::i32, {4, 6});
  for (int64_t k : {0, 2, -3, 9}) EXPECT_TRUE(matches(diag(upload(x), k), diagonal_reference(x, k, 0, 1))) << k;
  const Array v = random_array(DType::f32, {13});
  EXPECT_TRUE(matches(diag(diag(upload(v), -4), -4), v));
  // Of a pending vector, and read by more.
  EXPECT_TRUE(matches(diag(upload(v) * 2) + 1, generate(DType::f32, {13, 13}, [&](const Dims& i) {
                        return i[0] == i[1] ? 2 * v.at({i[0]}) + 1 : 1;
                      })));
}

EG_TEST(Meshgrid, spans_as_many_axes_as_there_are_tensors) {
  const Array a = random_array(DType::f32, {3}), b = iota(DType::i32, {4}), c = random_array(DType::boolean, {2});
  const std::vector<Tensor> grid = meshgrid({upload(a), upload(b), upload(c)});
  ASSERT_EQ(grid.size(), 3U);
  const std::vector<Array> all = {a, b, c};
  for (size_t axis = 0; axis < 3; ++axis)
    EXPECT_TRUE(matches(grid[axis],
                        generate(all[axis].dtype, {3, 4, 2}, [&](const Dims& i) { return all[axis].at({i[axis]}); })));
  EXPECT_EQ(grid[1].layout().strides, (std::vector<int64_t>{0, 1, 0}));
}

EG_TEST(Meshgrid, of_scalars_of_nothing_and_of_the_largest_rank) {
  EXPECT_TRUE(meshgrid({}).empty());
  EXPECT_EQ(meshgrid({ones({5}), ones({})})[1].shape(), (Shape{5, 1}));
  EXPECT_EQ(meshgrid({ones({5}), ones({0})})[0].shape(), (Shape{5, 0}));
  EXPECT_EQ(meshgrid(std::vector<Tensor>(8, arange(0, 2)))[7].shape(), (Shape{2, 2, 2, 2, 2, 2, 2, 2}));
  const Array x = random_array(DType::f32, {13});
  EXPECT_TRUE(matches(meshgrid({upload(x)})[0], x));
}

}  // namespace
}  // namespace eglantine::test
