#include <cmath>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_index.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, ScatterAdd);

/// Floats may differ by the rounding of `depth` serial additions.
void check_floats(const Tensor& actual, const Array& x, int axis, const Array& index, const Array& updates,
                  double depth) {
  const auto magnitude = [](double v) { return std::fabs(v); };
  const Array absolutes =
      naive::scatter_add(naive::map(x, DType::f32, magnitude), axis, index, naive::map(updates, DType::f32, magnitude));
  EXPECT_TRUE(within(actual, naive::scatter_add(x, axis, index, updates),
                     naive::map(absolutes, DType::f32, [&](double v) { return depth * 0x1p-23 * v; })));
}

void check_add(const Array& x, int axis, const Array& index, const Array& updates) {
  SCOPED_TRACE(std::string(name_of(x.dtype)) + text(x.shape) + " by " + text(index.shape));
  const Tensor y = scatter_add(upload(x), axis, upload(index), upload(updates));
  if (x.dtype != DType::f32) {
    EXPECT_TRUE(matches(y, naive::scatter_add(x, axis, index, updates)));
    return;
  }
  // The CPU adds in order.
  const bool on_cpu = Device::current().info().kind == "cpu";
  check_floats(y, x, axis, index, updates, on_cpu ? static_cast<double>(index.size()) + 1 : 200);
}

EG_TEST(ScatterAdd, every_axis_of_every_view) {
  for (int axis : {0, 1, -1}) {
    const Dims shape{4, 6, 9};
    const Array index = naive::random_indices(shape, axis == 0 ? 5 : axis == 1 ? 7 : 11);
    const Array updates = random_array(DType::i32, shape, 7);
    check_over_views(
        DType::i32, {{5, 7, 11}}, [&](const Tensor& x) { return scatter_add(x, axis, upload(index), upload(updates)); },
        [&](const Array& x) { return naive::scatter_add(x, axis, index, updates); });
    const Array x = random_array(DType::f32, {5, 7, 11}), floats = random_array(DType::f32, shape, 8);
    check_add(x, axis, index, floats);
  }
}

EG_TEST(ScatterAdd, updates_and_indices_held_in_views) {
  const Array x = random_array(DType::f32, {6, 13});
  for (const char* name : {"permuted", "stepped", "broadcast", "pending"}) {
    SCOPED_TRACE(name);
    const Sample index = view(name).hold(naive::random_indices({6, 8}, 13));
    const Sample updates = view(name).hold(random_array(DType::f32, {6, 8}, 3));
    check_floats(scatter_add(upload(x), 1, index.tensor, updates.tensor), x, 1, index.array, updates.array, 60);
  }
}

EG_TEST(ScatterAdd, integers_wrap) {
  const Array index = naive::random_indices({1025}, 5);
  for (DType dtype : {DType::i32, DType::u32})
    check_add(random_bits(dtype, {5}), 0, index, random_bits(dtype, {1025}, 2));
}

EG_TEST(ScatterAdd, any_number_of_updates_to_one_element) {
  for (int64_t count : {1, 2, 31, 32, 33, 64, 65, 127, 1024, 1025, 20001})
    check_add(random_array(DType::f32, {3}), 0,
              Array{DType::i32, {count}, std::vector<double>(static_cast<size_t>(count), -2)},
              random_reals({count}, 0.5, 1.5));
}

EG_TEST(ScatterAdd, segments_that_end_and_begin_anywhere_in_a_run) {
  for (int64_t length : {2, 3, 7, 13, 33, 500, 5000})
    check_add(random_array(DType::f32, {length}), 0, naive::random_indices({4001}, length, 5),
              random_reals({4001}, -1, 1));
}

EG_TEST(ScatterAdd, a_histogram_of_a_million) {
  const Array index = naive::random_indices({1000003}, 256);
  const Array zero{DType::f32, {256}, std::vector<double>(256, 0)};
  const Array one = generate(DType::f32, {1000003}, [](const Dims&) { return 1; });
  EXPECT_TRUE(
      matches(scatter_add(upload(zero), 0, upload(index), ones({1000003})), naive::scatter_add(zero, 0, index, one)));
  const Array none{DType::u32, {256}, zero.values};
  EXPECT_TRUE(matches(scatter_add(upload(none), 0, upload(index), ones({1000003}, DType::u32)),
                      Array{DType::u32, {256}, naive::scatter_add(zero, 0, index, one).values}));
}

EG_TEST(ScatterAdd, many_updates_along_each_axis) {
  Draw draw = draw_one_of(2);
  for (const Dims& shape : {Dims{3, 40001}, Dims{20003, 5}, Dims{700, 97}, Dims{33, 41, 64}})
    for (int axis : {0, -1})
      for (int64_t length : {2, 37}) {
        if (!draw.next()) continue;
        Dims places = shape;
        places[axis < 0 ? places.size() - 1 : 0] = length;
        check_add(random_array(DType::i32, places), axis, naive::random_indices(shape, length),
                  random_array(DType::i32, shape, 2));
        check_add(random_array(DType::f32, places), axis, naive::random_indices(shape, length),
                  random_reals(shape, -1, 1));
      }
}

EG_TEST(ScatterAdd, the_same_bits_every_time) {
  const Tensor x = upload(random_array(DType::f32, {1000}));
  const Tensor updates = upload(random_reals({200003}, -1, 1));
  for (int64_t length : {1, 1000}) {
    const Tensor index = upload(naive::random_indices({200003}, length));
    const Tensor once = scatter_add(x, 0, index, updates).eval();
    for (int round = 0; round < 3; ++round) EXPECT_TRUE(same_bits(scatter_add(x, 0, index, updates), once));
  }
}

EG_TEST(ScatterAdd, zeros_keep_their_sign_and_nan_spreads) {
  const Tensor x = Tensor::from({-0.0F, -0.0F, 1.0F, 2.0F}, {4});
  const Tensor y = scatter_add(x, 0, Tensor::from({0, 2, 2}, {3}), Tensor::from({-0.0F, std::nanf(""), 1.0F}, {3}));
  EXPECT_TRUE(matches(y, Array{DType::f32, {4}, {-0.0, -0.0, std::nan(""), 2}}, bitwise));
}

EG_TEST(ScatterAdd, no_updates_change_nothing) {
  const Array x = random_array(DType::f32, {7, 3});
  EXPECT_TRUE(matches(scatter_add(upload(x), 0, zeros({0, 3}, DType::i32), zeros({0, 3})), x));
}

EG_TEST(ScatterAdd, arguments_that_do_not_fit) {
  EXPECT_ERROR(scatter_add(zeros({3}, DType::boolean), 0, zeros({3}, DType::i32), zeros({3}, DType::boolean)),
               DTypeError, "[scatter_add] takes any dtype but boolean, got boolean; convert with astype");
  EXPECT_ERROR(scatter_add(zeros({3}), 0, zeros({2}, DType::i32), zeros({3})), ShapeError,
               "[scatter_add] the index (2,) and the updates (3,) must have one shape");
}

}  // namespace
}  // namespace eglantine::test
