#include <limits>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/order.hpp"
#include "support/reference/special_values.hpp"
#include "support/shapes.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Reduce, Argmax);
EG_ON_EACH_DEVICE(Reduce, Argmin);

EG_TEST(Argmax, every_axis_of_every_view) {
  for (int axis : {0, 1, 2, -1})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return argmax(x, axis); },
        [&](const Array& x) { return naive::argmax(x, axis); });
}

EG_TEST(Argmin, every_axis_of_every_view) {
  for (int axis : {0, 1, -1})
    check_over_views(
        DType::f32, {{5, 13, 37}}, [&](const Tensor& x) { return argmin(x, axis, true); },
        [&](const Array& x) { return naive::argmin(x, axis, true); });
}

EG_TEST(Argmax, the_first_of_equals_in_every_dtype) {
  Draw draw = draw_one_of(3);
  for (DType dtype : every_dtype)
    for (const Dims& shape : {Dims{3, 5003}, Dims{5003, 3}, Dims{20000}})
      for (int axis : {0, -1}) {
        if (!draw.next()) continue;
        const Array x = random_array(DType::boolean, shape);
        const Array ties{dtype, shape, x.values};
        EXPECT_TRUE(matches(argmax(upload(ties), axis), naive::argmax(ties, axis))) << name_of(dtype) << text(shape);
        EXPECT_TRUE(matches(argmin(upload(ties), axis), naive::argmin(ties, axis))) << name_of(dtype) << text(shape);
      }
}

EG_TEST(Argmax, all_equal_gives_the_first) {
  for (int64_t length : {1, 4, 127, 1025, 40000}) {
    const Tensor x = ones({length, 2});
    EXPECT_EQ(argmax(x, 0).to_vector<int32_t>(), (std::vector<int32_t>{0, 0})) << length;
    EXPECT_EQ(argmin(x.transpose(0, 1), 1).to_vector<int32_t>(), (std::vector<int32_t>{0, 0})) << length;
  }
}

EG_TEST(Argmax, of_what_repeats_along_the_axis_the_first_wins) {
  const Tensor x = upload(Array{DType::f32, {3, 1}, {-1, nan, 4}}).expand({3, 500});
  const std::vector<int32_t> first(3);
  EXPECT_EQ(argmax(x, 1).to_vector<int32_t>(), first);
  EXPECT_EQ(argmin(x, 1).to_vector<int32_t>(), first);
  EXPECT_EQ(argmax(x.flip(1).transpose(0, 1), 0, true).to_vector<int32_t>(), first);
  EXPECT_EQ(argmax(x, 0).to_vector<int32_t>(), std::vector<int32_t>(500, 1));
}

EG_TEST(Argmax, the_last_element_wins_when_it_is_largest) {
  for (int64_t length : {1, 3, 4, 5, 1023, 1025, 16384, 16385, 40000}) {
    const Array x = iota(DType::f32, {length});
    EXPECT_EQ(argmax(upload(x), 0).item<int32_t>(), length - 1);
    EXPECT_EQ(argmin(neg(upload(x)), 0).item<int32_t>(), length - 1);
  }
}

EG_TEST(Argmax, the_first_nan_wins) {
  for (const Dims& shape : {Dims{3, 5003}, Dims{5003, 3}}) {
    Array x = random_array(DType::f32, shape);
    const int axis = shape[0] == 3 ? 1 : 0;
    for (size_t place : {7000U, 7003U, 12000U, 12001U}) x.values[place] = nan;
    x.values[3] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(matches(argmax(upload(x), axis), naive::argmax(x, axis))) << text(shape);
    EXPECT_TRUE(matches(argmin(upload(x), axis), naive::argmin(x, axis))) << text(shape);
  }
}

void expect_extremes(const Sample& x, int axis) {
  EXPECT_TRUE(matches(argmax(x.tensor, axis), naive::argmax(x.array, axis)));
  EXPECT_TRUE(matches(argmin(x.tensor, axis), naive::argmin(x.array, axis)));
}

EG_TEST(Argmax, many_rows_of_drawn_columns) {
  Random random(draw_seed());
  for (int i = 0; i < 5; ++i) {
    const Dims shape{random.integer(1, 3), random.integer(129, 3000), random.integer(1, 40)};
    const DType dtype = every_dtype[random.integer(0, std::ssize(every_dtype) - 1)];
    const View& held = every_view()[static_cast<size_t>(random.integer(0, std::ssize(every_view()) - 1))];
    SCOPED_TRACE(std::string(name_of(dtype)) + text(shape) + " " + held.name);
    Array ties{dtype, shape, random_array(DType::boolean, shape, static_cast<uint64_t>(i)).values};
    expect_extremes(held.hold(ties), 1);
    Array special = without_denormals(special_keys(shape, static_cast<uint64_t>(i)));
    const int64_t numbers = random.integer(0, special.size());  // before these no NaN
    for (int64_t at = 0; at < numbers; ++at)
      if (double& value = special.values[static_cast<size_t>(at)]; std::isnan(value)) value = 2;
    expect_extremes(held.hold(special), 1);
  }
}

/// On GPUs several of the results that groups left are loaded before any is combined.
EG_TEST(Argmax, what_groups_left_is_combined_with_loads_in_flight) {
  if (!plans_for_gpus(device())) return;
  const std::string text = explain(argmax(uniform({60001, 86}, 1).eval(), 0));
  EXPECT_NE(text.find("EG_EACH_LOAD(EG_LEFT)"), std::string::npos) << text;
}

EG_TEST(Argmax, infinities_alone) {
  const Array low{DType::f32, {2, 3}, {-infinity, -infinity, -infinity, -infinity, -1, -infinity}};
  EXPECT_TRUE(matches(argmax(upload(low), 1), naive::argmax(low, 1)));
  const Array high{DType::f32, {2, 3}, {infinity, infinity, infinity, infinity, infinity, 1}};
  EXPECT_TRUE(matches(argmin(upload(high), 1), naive::argmin(high, 1)));
  const Array long_low{DType::f32, {5003, 3}, std::vector<double>(5003 * 3, -infinity)};
  EXPECT_TRUE(matches(argmax(upload(long_low), 0), naive::argmax(long_low, 0)));
}

EG_TEST(Argmax, zeros_of_both_signs_are_equal) {
  EXPECT_EQ(argmax(Tensor::from({-0.0F, 0.0F}, {2}), 0).item<int32_t>(), 0);
  EXPECT_EQ(argmin(Tensor::from({0.0F, -0.0F}, {2}), 0).item<int32_t>(), 0);
}

EG_TEST(Argmax, a_result_without_elements) {
  EXPECT_TRUE(matches(argmax(zeros({0, 3}), 1), Array{DType::i32, {0}, {}}));
  EXPECT_TRUE(matches(argmin(zeros({3, 0}), 0, true), Array{DType::i32, {1, 0}, {}}));
}

}  // namespace
}  // namespace eglantine::test
