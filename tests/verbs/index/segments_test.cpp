#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/segments.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_segments.hpp"
#include "support/reference/special_values.hpp"

/// take_along_axis, index_add, segment_sum and segment_max.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, TakeAlongAxis);
EG_ON_EACH_DEVICE(Indices, IndexAdd);
EG_ON_EACH_DEVICE(Indices, Segments);

constexpr Tolerance sums{0, 1e-5, 1e-5};

void check_taken(const Dims& shape, const Dims& index_shape, int axis) {
  SCOPED_TRACE(text(shape) + " at " + text(index_shape) + " along " + std::to_string(axis));
  const Array x = random_array(DType::f32, shape);
  const size_t along = static_cast<size_t>(axis < 0 ? axis + x.rank() : axis);
  const Array index = naive::random_indices(index_shape, shape[along]);
  EXPECT_TRUE(matches(take_along_axis(upload(x), upload(index), axis), naive::take_along_axis(x, index, axis)));
}

EG_TEST(TakeAlongAxis, lengths_that_broadcast_either_way) {
  check_taken({5, 7, 11}, {5, 3, 11}, 1);
  check_taken({5, 7, 11}, {1, 3, 1}, 1);
  check_taken({5, 1, 11}, {5, 7, 4}, -1);
  check_taken({1, 13}, {127, 1}, 0);
  check_taken({13, 1}, {1, 1025}, -1);
  check_taken({1}, {13}, 0);
  check_taken({3, 0}, {3, 0}, 0);
  check_taken({3, 5}, {0, 5}, 0);
}

EG_TEST(TakeAlongAxis, x_and_index_held_in_every_view) {
  const Array index = naive::random_indices({1, 9, 3}, 7), x = random_array(DType::f32, {6, 13});
  check_over_views(
      DType::f32, {{5, 7, 3}}, [&](const Tensor& held) { return take_along_axis(held, upload(index), 1); },
      [&](const Array& held) { return naive::take_along_axis(held, index, 1); });
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    const Sample held = view.hold(naive::random_indices({6, 8}, 13));
    EXPECT_TRUE(matches(take_along_axis(upload(x), held.tensor, 1), naive::take_along_axis(x, held.array, 1)))
        << view.name;
  }
}

EG_TEST(TakeAlongAxis, sorts_by_argsort_in_every_dtype) {
  for (DType dtype : every_dtype) {
    const Tensor x = upload(random_array(dtype, {6, 13}));
    EXPECT_TRUE(matches(take_along_axis(x, argsort(x, 1), 1), download(sort(x, 1)))) << name_of(dtype);
  }
}

EG_TEST(TakeAlongAxis, an_index_out_of_range_names_its_place_before_broadcasting) {
  const Tensor x = zeros({4, 5}) + 1;
  EXPECT_ERROR(take_along_axis(x, Tensor::from({0, 1, -6}, {1, 3}), 1).to_vector<float>(), IndexError,
               "[take_along_axis] index -6 at (0, 2) lies outside [-5, 5): axis 1 of (4, 5)");
}

EG_TEST(IndexAdd, every_axis_and_view) {
  for (int axis : {0, 1, -1}) {
    const int64_t length = axis == 0 ? 5 : axis == 1 ? 7 : 11;
    Dims shape{5, 7, 11};
    shape[static_cast<size_t>(axis < 0 ? 2 : axis)] = 13;
    const Array indices = naive::random_indices({13}, length), updates = random_array(DType::f32, shape, 3);
    check_over_views(
        DType::f32, {{5, 7, 11}}, [&](const Tensor& x) { return index_add(x, axis, upload(indices), upload(updates)); },
        [&](const Array& x) { return naive::index_add(x, axis, indices, updates); }, sums);
  }
}

EG_TEST(IndexAdd, updates_and_indices_in_views_and_of_other_dtypes) {
  const Array x = random_array(DType::f32, {6, 13});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    const Sample indices = view(name).hold(naive::random_indices({8}, 13)),
                 updates = view(name).hold(random_array(DType::i32, {6, 8}));
    EXPECT_TRUE(matches(index_add(upload(x), 1, indices.tensor, updates.tensor),
                        naive::index_add(x, 1, indices.array, updates.array), sums))
        << name;
  }
  const Array whole = random_bits(DType::i32, {9, 3}), indices = naive::random_indices({1025}, 9),
              more = random_bits(DType::i32, {1025, 3}, 2);
  EXPECT_TRUE(
      matches(index_add(upload(whole), 0, upload(indices), upload(more)), naive::index_add(whole, 0, indices, more)));
}

EG_TEST(IndexAdd, nothing_to_add_and_nothing_to_add_to) {
  const Array x = random_array(DType::f32, {7, 3});
  EXPECT_TRUE(matches(index_add(upload(x), 0, zeros({0}, DType::i32), zeros({0, 3})), x));
  EXPECT_TRUE(
      matches(index_add(zeros({7, 0}), 0, zeros({2}, DType::i32), zeros({2, 0})), Array{DType::f32, {7, 0}, {}}));
  EXPECT_ERROR(index_add(zeros({7, 0}), 0, Tensor::from({7}, {1}), zeros({1, 0})), IndexError,
               "[index_add] index 7 at (0,) lies outside [-7, 7): axis 0 of (7, 0)");
}

EG_TEST(IndexAdd, an_index_out_of_range_names_its_place_in_the_indices) {
  EXPECT_ERROR(index_add(zeros({4, 5}), 1, Tensor::from({0, 4, 5}, {3}), ones({4, 3})).to_vector<float>(), IndexError,
               "[index_add] index 5 at (2,) lies outside [-5, 5): axis 1 of (4, 5)");
}

EG_TEST(Segments, sums_of_lengths_and_dtypes) {
  for (const Dims& shape : {Dims{1}, Dims{13}, Dims{127, 3}, Dims{1025}, Dims{20, 3, 5}, Dims{0, 3}, Dims{4, 0}})
    for (DType dtype : wide_dtypes) {
      Array x = random_array(dtype, shape);
      const Array numbers = naive::random_indices({shape[0]}, 6);
      const Tensor y = segment_sum(upload(x), upload(numbers), 6);
      if (dtype == DType::boolean) x.dtype = DType::i32;
      EXPECT_TRUE(matches(y, naive::segments(x, numbers, 6, 0, naive::added), sums)) << name_of(dtype) << text(shape);
    }
}

EG_TEST(Segments, maxima_of_lengths_and_dtypes) {
  const std::pair<DType, double> lowest[] = {{DType::f32, -infinity}, {DType::i32, -2147483648.0}, {DType::u32, 0}};
  for (const Dims& shape : {Dims{1}, Dims{127, 3}, Dims{1025}, Dims{0, 3}, Dims{4, 0}})
    for (const auto& [dtype, low] : lowest) {
      const Array x = random_array(dtype, shape), numbers = naive::random_indices({shape[0]}, 6);
      EXPECT_TRUE(
          matches(segment_max(upload(x), upload(numbers), 6), naive::segments(x, numbers, 6, low, naive::larger)))
          << name_of(dtype) << text(shape);
    }
}

EG_TEST(Segments, of_every_view) {
  const Array numbers = naive::random_indices({13}, 5);
  check_over_views(
      DType::f32, {{13, 7}}, [&](const Tensor& x) { return segment_sum(x, upload(numbers), 5); },
      [&](const Array& x) { return naive::segments(x, numbers, 5, 0, naive::added); }, sums);
  check_over_views(
      DType::f32, {{13, 7}}, [&](const Tensor& x) { return segment_max(x, upload(numbers), 5); },
      [&](const Array& x) { return naive::segments(x, numbers, 5, -infinity, naive::larger); });
}

EG_TEST(Segments, nothing_in_them_and_a_nan) {
  const Tensor x = Tensor::from({1.0F, std::nanf(""), -3.0F}, {3}), numbers = Tensor::from({0, 2, 0}, {3});
  EXPECT_TRUE(matches(segment_sum(x, numbers, 4), Array{DType::f32, {4}, {-2, 0, std::nan(""), 0}}, bitwise));
  EXPECT_TRUE(matches(segment_max(x, numbers, 4), Array{DType::f32, {4}, {1, -infinity, std::nan(""), -infinity}}));
  EXPECT_TRUE(matches(segment_sum(zeros({0}), zeros({0}, DType::i32), 0), Array{DType::f32, {0}, {}}));
}

EG_TEST(Segments, a_number_out_of_range) {
  EXPECT_ERROR(segment_sum(ones({3, 2}), Tensor::from({0, 1, 5}, {3}), 5).to_vector<float>(), IndexError,
               "[segment_sum] index 5 at (2,) lies outside [-5, 5): axis 0 of (5, 2)");
  EXPECT_ERROR(segment_max(ones({3}), Tensor::from({0, -6, 1}, {3}), 5).to_vector<float>(), IndexError,
               "[segment_max] index -6 at (1,) lies outside [-5, 5): axis 0 of (5,)");
  EXPECT_ERROR(segment_sum(ones({1}), Tensor::from({0}, {1}), 0), IndexError,
               "[segment_sum] index 0 at (0,) lies outside [0, 0): axis 0 of (0,)");
}

}  // namespace
}  // namespace eglantine::test
