#include <algorithm>
#include <cmath>
#include <limits>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "eglantine/verbs/counting.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_counting.hpp"
#include "support/reference/order.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Indices, Searchsorted);

Array in_order(const Array& x) { return naive::sort(x, -1, false).keys; }

void check_search(const Tensor& sorted, const Tensor& values, const Array& in, const Array& of) {
  SCOPED_TRACE(std::string(name_of(in.dtype)) + text(in.shape) + " of " + text(of.shape));
  EXPECT_TRUE(matches(searchsorted(sorted, values), naive::searchsorted(in, of, false)));
  EXPECT_TRUE(matches(searchsorted(sorted, values, true), naive::searchsorted(in, of, true)));
}

void check_search(const Array& sorted, const Array& values) {
  check_search(upload(sorted), upload(values), sorted, values);
}

EG_TEST(Searchsorted, lengths_and_shapes) {
  Draw draw = draw_programs_one_of(3);
  for (int64_t length : {0, 1, 2, 3, 13, 127, 128, 1025})
    for (const Dims& shape : {Dims{}, Dims{0}, Dims{40}, Dims{3, 5, 7}})
      if (draw.next()) check_search(in_order(random_array(DType::f32, {length})), random_array(DType::f32, shape, 2));
}

EG_TEST(Searchsorted, every_dtype_with_ties_and_extremes) {
  for (DType dtype : every_dtype) {
    Array x = keys_with_ties(dtype, {300}), values = keys_with_ties(dtype, {200}, 3);
    for (size_t i = 0; i < 100; ++i) values.values[i] = x.values[2 * i];
    if (dtype == DType::i32)
      x.values[0] = values.values[0] = -2147483648.0, x.values[1] = values.values[1] = 2147483647;
    if (dtype == DType::u32) x.values[0] = values.values[0] = 4294967295.0, x.values[1] = values.values[1] = 0;
    check_search(in_order(x), values);
  }
}

EG_TEST(Searchsorted, special_floats) {
  check_search(in_order(special_keys({61})), special_keys({100}, 2));
  check_search(in_order(special_keys({1})), special_keys({100}, 2));
}

EG_TEST(Searchsorted, a_row_for_each_row) {
  check_search(in_order(random_array(DType::f32, {5, 13})), random_array(DType::f32, {5, 40}, 2));
  check_search(in_order(random_array(DType::i32, {3, 2, 127})), random_array(DType::i32, {3, 2, 4}, 2));
  check_search(in_order(random_array(DType::f32, {0, 13})), random_array(DType::f32, {0, 4}, 2));
  check_search(in_order(random_array(DType::f32, {2, 0})), random_array(DType::f32, {2, 4}, 2));
}

EG_TEST(Searchsorted, both_held_in_every_view) {
  const Array sorted = in_order(random_array(DType::f32, {6, 13})), values = random_array(DType::f32, {6, 9}, 2);
  Draw draw = draw_one_of(3);
  for (const View& view : every_view()) {
    if (!draw.next()) continue;
    SCOPED_TRACE(view.name);
    const Sample rows = view.hold(sorted), keys = view.hold(values);
    check_search(rows.tensor, upload(values), rows.array, values);
    check_search(upload(sorted), keys.tensor, sorted, keys.array);
  }
  const Array one = in_order(random_array(DType::f32, {37}));
  check_search(upload(naive::flip(one, {0})).flip({}), upload(values), one, values);
}

EG_TEST(Searchsorted, mixed_dtypes_meet_in_one) {
  const Array whole = in_order(random_array(DType::i32, {50})), real = random_reals({60}, -100, 100);
  Array as_real = whole;
  as_real.dtype = DType::f32;
  EXPECT_TRUE(matches(searchsorted(upload(whole), upload(real)), naive::searchsorted(as_real, real, false)));
}

EG_TEST(Searchsorted, fuses_with_what_makes_values_and_reads_places) {
  const Array sorted = in_order(random_array(DType::f32, {50})), values = random_array(DType::f32, {60}, 2);
  const Array doubled = naive::map(values, DType::f32, [](double v) { return 2 * v; });
  const Tensor y = searchsorted(upload(sorted), upload(values) * 2) - 1;
  EXPECT_TRUE(
      matches(y, naive::map(naive::searchsorted(sorted, doubled, false), DType::i32, [](double v) { return v - 1; })));
  const Tensor rows = upload(sorted), keys = upload(values);
  const std::string text = explain(searchsorted(rows, keys * 2, true) - 1);
  EXPECT_NE(text.find("upper_bound i32 (60,) from 50 places"), std::string::npos) << text;
  EXPECT_EQ(text.find("map "), std::string::npos) << text;
}

EG_TEST(Searchsorted, arguments_that_do_not_fit) {
  EXPECT_ERROR(searchsorted(zeros({3, 4}), zeros({2, 4})), ShapeError,
               "[searchsorted] `sorted` (3, 4) and the values (2, 4) must have the same axes but the last, or `sorted` "
               "rank 1");
  EXPECT_ERROR(searchsorted(zeros({3}, DType::i32), zeros({3}, DType::u32)), DTypeError,
               "[searchsorted] no dtype holds both i32 and u32; convert one with astype");
}

}  // namespace
}  // namespace eglantine::test
