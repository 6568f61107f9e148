#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Scatter);

void check_scatter(const Array& x, int axis, const Array& index, const Array& updates) {
  EXPECT_TRUE(
      matches(scatter(upload(x), axis, upload(index), upload(updates)), naive::scatter(x, axis, index, updates)))
      << text(x.shape) << " by " << text(index.shape) << " along " << axis;
}

EG_TEST(Scatter, every_axis_of_every_view) {
  for (int axis : {0, 1, -1}) {
    const Dims shape{4, 6, 9};
    const Array index = naive::random_indices(shape, axis == 0 ? 5 : axis == 1 ? 7 : 11);
    const Array updates = random_array(DType::f32, shape, 7);
    check_over_views(
        DType::f32, {{5, 7, 11}}, [&](const Tensor& x) { return scatter(x, axis, upload(index), upload(updates)); },
        [&](const Array& x) { return naive::scatter(x, axis, index, updates); });
  }
}

EG_TEST(Scatter, updates_and_indices_held_in_views) {
  const Array x = random_array(DType::f32, {6, 13});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    SCOPED_TRACE(name);
    const Sample index = view(name).hold(naive::random_indices({6, 8}, 13));
    const Sample updates = view(name).hold(random_array(DType::f32, {6, 8}, 3));
    EXPECT_TRUE(
        matches(scatter(upload(x), 1, index.tensor, updates.tensor), naive::scatter(x, 1, index.array, updates.array)));
  }
}

EG_TEST(Scatter, every_dtype) {
  const Array index = naive::random_indices({9}, 5);
  for (DType dtype : every_dtype) check_scatter(random_array(dtype, {5}), 0, index, random_array(dtype, {9}, 2));
}

EG_TEST(Scatter, the_last_of_many_updates_wins) {
  for (int64_t count : {1, 2, 13, 127, 1025, 100003}) {
    const Array x = random_array(DType::f32, {3});
    check_scatter(x, 0, Array{DType::i32, {count}, std::vector<double>(static_cast<size_t>(count), -2)},
                  iota(DType::f32, {count}));
    check_scatter(x, 0, naive::random_indices({count}, 3), iota(DType::f32, {count}));
  }
}

EG_TEST(Scatter, a_million_updates) {
  check_scatter(random_array(DType::f32, {250007}), 0, naive::random_indices({1000003}, 250007),
                iota(DType::f32, {1000003}));
}

EG_TEST(Scatter, pending_parts_and_what_reads_the_result) {
  const Array x = random_array(DType::f32, {7}), index = naive::random_indices({5}, 7),
              updates = random_array(DType::f32, {5}, 4);
  const Array expected = naive::scatter(x, 0, index, updates);
  const Tensor y = scatter(neg(neg(upload(x))), 0, upload(index) * 1, upload(updates) + 0);
  EXPECT_TRUE(matches(neg(y), naive::map(expected, DType::f32, [](double v) { return -v; })));
  EXPECT_TRUE(matches(y, expected));
}

EG_TEST(Scatter, no_updates_change_nothing) {
  const Array x = random_array(DType::f32, {7, 3});
  check_scatter(x, 0, Array{DType::i32, {0, 3}, {}}, Array{DType::f32, {0, 3}, {}});
  check_scatter(Array{DType::f32, {0, 3}, {}}, 0, Array{DType::i32, {0, 3}, {}}, Array{DType::f32, {0, 3}, {}});
}

EG_TEST(Scatter, kernels_of_plain_operands_bind_four_buffers) {
  if (!on_gl()) return;  // only GL binds buffers
  const Tensor x = upload(random_array(DType::f32, {7})), index = upload(naive::random_indices({5}, 7));
  const Tensor updates = upload(random_array(DType::f32, {5}));
  for (const Tensor& y : {take(x, index, 0), scatter(x, 0, index, updates), scatter_add(x, 0, index, updates),
                          scatter_add(x.astype(DType::i32), 0, index, updates.astype(DType::i32)), one_hot(index, 7)}) {
    const std::string text = explain(y);
    EXPECT_NE(text.find("binding = 2"), std::string::npos) << text;
    EXPECT_EQ(text.find("binding = 4"), std::string::npos) << text;
  }
}

EG_TEST(Scatter, leaves_its_source_as_it_was) {
  const Array x = random_array(DType::f32, {7});
  const Tensor source = upload(x);
  scatter(source, 0, Tensor::from({0, 1}, {2}), ones({2})).eval();
  EXPECT_TRUE(matches(source, x));
}

EG_TEST(Scatter, arguments_that_do_not_fit) {
  const Tensor x = zeros({4, 5}), i = zeros({2, 5}, DType::i32);
  EXPECT_ERROR(scatter(x, 0, i, zeros({2, 4})), ShapeError,
               "[scatter] the index (2, 5) and the updates (2, 4) must have one shape");
  EXPECT_ERROR(scatter(x.astype(DType::i32), 0, i, zeros({2, 5})), DTypeError,
               "[scatter] f32 does not become i32 by itself; convert it with astype");
  EXPECT_ERROR(scatter(x, 1, zeros({5, 5}, DType::i32), zeros({5, 5})), ShapeError,
               "[scatter] the index (5, 5) is longer than (4, 5) along axis 0: only along axis 1 may it be");
  EXPECT_ERROR(scatter(x, 0, zeros({2}, DType::i32), zeros({2})), ShapeError,
               "[scatter] the index (2,) must have the rank of (4, 5)");
  EXPECT_ERROR(scatter(x, 0, zeros({2, 5}), zeros({2, 5})), DTypeError,
               "[scatter] indices are i32, got f32; convert with astype");
  EXPECT_ERROR(scatter(zeros({}), 0, i, x), ShapeError, "[scatter] axis 0 of a scalar, which has no axes");
}

}  // namespace
}  // namespace eglantine::test
