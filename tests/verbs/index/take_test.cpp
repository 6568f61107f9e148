

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Take);

Tensor ints(const std::vector<int32_t>& values, Shape shape) { return Tensor::from(values, shape); }

void check_take(const Array& x, const Array& indices, int axis) {
  EXPECT_TRUE(matches(take(upload(x), upload(indices), axis), naive::take(x, indices, axis)))
      << text(x.shape) << " by " << text(indices.shape) << " along " << axis;
}

EG_TEST(Take, every_axis_of_every_view) {
  for (int axis : {0, 1, -1}) {
    const Array indices = naive::random_indices({2, 3}, axis == 0 ? 5 : axis == 1 ? 13 : 37);
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return take(x, upload(indices), axis); },
        [&](const Array& x) { return naive::take(x, indices, axis); });
  }
}

EG_TEST(Take, indices_held_in_every_view) {
  const Array x = random_array(DType::f32, {29, 8});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample indices = view.hold(naive::random_indices({3, 5}, 29));
    EXPECT_TRUE(matches(take(upload(x), indices.tensor, 0), naive::take(x, indices.array, 0)));
  }
}

EG_TEST(Take, every_dtype) {
  for (DType dtype : every_dtype) {
    check_take(random_array(dtype, {13, 4}), naive::random_indices({5}, 13), 0);
    check_take(random_array(dtype, {13, 3}), naive::random_indices({7}, 3), 1);
  }
}

EG_TEST(Take, lengths_around_vectors_and_blocks) {
  for (int64_t length : {1, 13, 127, 1025})
    for (int64_t count : {1, 13, 127, 1025}) {
      check_take(random_array(DType::f32, {length}), naive::random_indices({count}, length), 0);
      check_take(random_array(DType::f32, {13, length}), naive::random_indices({3}, 13), 0);
    }
}

/// Fewer and more than are evaluated at once.
EG_TEST(Take, the_same_elements_of_every_row) {
  for (DType dtype : {DType::f32, DType::boolean, DType::bf16})
    for (int64_t count : {3, 1024, 3001}) {
      const Array x = random_array(dtype, {5, 4, 70});
      for (int axis : {1, 2}) check_take(x, naive::random_indices({count}, x.shape[static_cast<size_t>(axis)]), axis);
    }
}

/// Invocations have several vectors in flight, and the last ones a part of that.
EG_TEST(Take, more_indices_than_a_device_holds_invocations) {
  for (DType dtype : {DType::f32, DType::boolean, DType::bf16})
    for (int64_t count : {81920, 131071})
      check_take(random_array(dtype, {481}), naive::random_indices({count}, 481), 0);
}

EG_TEST(Take, rows_of_fours_and_others) {
  for (int64_t width : {1, 2, 3, 4, 5, 8, 64, 1024})
    check_take(random_array(DType::f32, {17, width}), naive::random_indices({23}, 17), 0);
}

/// Of many elements the result lies as x does; an index out of range is told as of any other x.
EG_TEST(Take, of_a_transposed_tensor_in_the_order_of_memory) {
  const Array x = random_array(DType::f32, {40, 90, 80});
  for (const Axes& order : {Axes{0, 2, 1}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}}) {
    Axes back = order;
    for (int i = 0; i < 3; ++i) back[static_cast<int>(order[i])] = i;
    const Tensor transposed = (upload(x).permute(order) + 0.0F).eval().permute(back);
    for (int axis = 0; axis < 3; ++axis) {
      const Array indices =
          naive::random_indices(axis == 1 ? Dims{3, 11} : Dims{13}, x.shape[static_cast<size_t>(axis)]);
      EXPECT_TRUE(matches(take(transposed, upload(indices), axis), naive::take(x, indices, axis)))
          << order[2] << " along " << axis;
      EXPECT_TRUE(matches(sum(take(transposed, upload(indices), axis), axis),
                          naive::sum(naive::take(x, indices, axis), {axis}), {0, 1e-5, 1e-4}));
    }
  }
  const Tensor y = upload(random_array(DType::f32, {80, 90, 40})).permute({2, 1, 0});
  EXPECT_NE(explain(take(y, ints({7, 3}, {2}), 1)).find("(80, 2, 40)"), std::string::npos)
      << explain(take(y, ints({7, 3}, {2}), 1));
  EXPECT_ERROR(take(y, ints({0, 90}, {2}), 1).to_vector<float>(), IndexError,
               "[take] index 90 at (1,) lies outside [-90, 90): axis 1 of (40, 90, 80)");
}

EG_TEST(Take, long_rows_of_every_view) {
  for (int axis : {0, 1}) {
    const Array indices = naive::random_indices({2, 3}, axis == 0 ? 5 : 3);
    check_over_views(
        DType::f32, {{5, 3, 600}}, [&](const Tensor& x) { return take(x, upload(indices), axis); },
        [&](const Array& x) { return naive::take(x, indices, axis); });
  }
  const Array table = random_array(DType::boolean, {9, 784});
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    const Sample indices = view.hold(naive::random_indices({4, 2}, 9));
    EXPECT_TRUE(matches(take(upload(table), indices.tensor, 0), naive::take(table, indices.array, 0)));
  }
}

EG_TEST(Take, rows_that_start_between_vectors) {
  const Array table = random_array(DType::f32, {9, 12});
  const Array indices = naive::random_indices({6}, 9);
  for (int64_t start : {1, 2, 4}) {
    const Tensor x = upload(table).slice(1, start, start + 8);
    EXPECT_TRUE(
        matches(take(x, upload(indices), 0), naive::take(naive::slice(table, 1, start, start + 8, 1), indices, 0)));
  }
}

EG_TEST(Take, a_scalar_index_drops_the_axis) {
  const Array x = random_array(DType::f32, {5, 8});
  check_take(x, Array{DType::i32, {}, {3}}, 0);
  check_take(x, Array{DType::i32, {}, {-1}}, 1);
  check_take(random_array(DType::f32, {7}), Array{DType::i32, {}, {-7}}, 0);
}

EG_TEST(Take, no_indices_and_nothing_to_take) {
  const Array none{DType::i32, {0}, {}};
  check_take(random_array(DType::f32, {5, 8}), none, 0);
  check_take(Array{DType::f32, {0, 3}, {}}, none, 0);
  check_take(Array{DType::f32, {3, 0}, {}}, Array{DType::i32, {2}, {1, -3}}, 0);
}

EG_TEST(Take, pending_indices_and_sources_melt_or_are_computed) {
  const Array x = random_array(DType::f32, {11, 8}), indices = naive::random_indices({6}, 10);
  const Tensor source = upload(x) + upload(x), index = upload(indices) + Tensor::from({1}, {});
  const Array doubled = naive::map(x, DType::f32, [](double v) { return 2 * v; });
  const Array shifted = naive::map(indices, DType::i32, [](double v) { return v + 1; });
  EXPECT_TRUE(matches(take(source, index, 0), naive::take(doubled, shifted, 0)));
}

EG_TEST(Take, what_reads_the_result_melts_into_its_kernel) {
  const Array x = random_array(DType::f32, {11, 8}), indices = naive::random_indices({6}, 11);
  const Tensor y = neg(take(upload(x), upload(indices), 0)) * 3;
  EXPECT_EQ(explain(y).rfind("gather f32 (6, 8) from 11 places", 0), 0U) << explain(y);
  EXPECT_EQ(explain(y).find("map f32"), std::string::npos);
  EXPECT_TRUE(matches(y, naive::map(naive::take(x, indices, 0), DType::f32, [](double v) { return -3 * v; })));
}

EG_TEST(Take, a_result_read_twice_and_in_another_order) {
  const Array x = random_array(DType::f32, {9, 7}), indices = naive::random_indices({5}, 9);
  const Tensor y = take(upload(x), upload(indices), 0);
  const Array expected = naive::take(x, indices, 0);
  EXPECT_TRUE(matches(y.transpose(0, 1), naive::transpose(expected, 0, 1)));
  EXPECT_TRUE(matches(y.slice(0, 1, 4), naive::slice(expected, 0, 1, 4, 1)));
}

EG_TEST(Take, of_a_constant_and_of_a_range) {
  const Array indices = naive::random_indices({9}, 6);
  EXPECT_TRUE(
      matches(take(full({6}, 2), upload(indices), 0), generate(DType::f32, {9}, [](const Dims&) { return 2; })));
  EXPECT_TRUE(matches(take(arange(0, 6), upload(indices), 0), naive::take(iota(DType::f32, {6}), indices, 0)));
  EXPECT_TRUE(matches(take(upload(iota(DType::f32, {6})), full({3}, -1, DType::i32), 0),
                      generate(DType::f32, {3}, [](const Dims&) { return 5; })));
}

EG_TEST(Take, indices_of_the_same_tensor) {
  const Array x = Array{DType::i32, {5}, {4, 2, -5, 0, 1}};
  const Tensor held = upload(x);
  EXPECT_TRUE(matches(take(held, held, 0), naive::take(x, x, 0)));
}

EG_TEST(Take, a_million_elements) {
  const Array x = random_array(DType::f32, {1000003}), indices = naive::random_indices({1000001}, 1000003);
  check_take(x, indices, 0);
}

EG_TEST(Take, arguments_that_do_not_fit) {
  const Tensor x = zeros({4, 5}), i = ints({0}, {1});
  EXPECT_ERROR(take(x, zeros({2}), 0), DTypeError, "[take] indices are i32, got f32; convert with astype");
  EXPECT_ERROR(take(x, i, 2), ShapeError,
               "[take] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
  EXPECT_ERROR(take(zeros({}), i, 0), ShapeError, "[take] axis 0 of a scalar, which has no axes");
  EXPECT_ERROR(take(zeros({1, 1, 1, 1, 1}), zeros({1, 1, 1, 1, 1}, DType::i32), 1), ShapeError,
               "[take] axis 1 of (1, 1, 1, 1, 1) replaced by (1, 1, 1, 1, 1) has a rank above 8");
  EXPECT_ERROR(take(zeros({3000000000}), i, 0), ShapeError,
               "[take] axis 0 of (3000000000,) is longer than i32 places reach, 2^31 - 1; work on slices of it");
}

}  // namespace
}  // namespace eglantine::test
