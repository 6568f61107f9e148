#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, Crop);
EG_ON_EACH_DEVICE(Movement, Slice);
EG_ON_EACH_DEVICE(Movement, Pad);

EG_TEST(Crop, the_middle_the_whole_and_nothing) {
  for (const naive::Pairs& box :
       {naive::Pairs{{1, 4}, {0, 13}, {2, 3}}, {{0, 5}, {0, 13}, {0, 3}}, {{0, 5}, {7, 7}, {0, 3}}})
    check_over_views(
        DType::f32, {{5, 13, 3}}, [&](const Tensor& x) { return x.crop(box); },
        [&](const Array& x) { return naive::crop(x, box); });
}

EG_TEST(Crop, of_a_scalar) {
  const Array x = random_array(DType::f32, {});
  EXPECT_TRUE(matches(crop(upload(x), {}), x));
}

struct Range {
  int64_t start;
  std::optional<int64_t> stop;
  int64_t step;
};

EG_TEST(Slice, every_way_python_has) {
  const Array x = random_array(DType::f32, {3, 13});
  const Tensor held = upload(x);
  for (const Range& r : {Range{0, {}, 1},
                         {2, 5, 1},
                         {-4, -1, 1},
                         {0, {}, 2},
                         {1, 12, 5},
                         {12, {}, -1},
                         {-1, {}, -1},
                         {-1, -14, -1},
                         {10, 2, -3},
                         {5, 5, 1},
                         {8, 3, 1},
                         {3, 8, -1},
                         {13, 13, 1},
                         {0, 13, 20},
                         {-13, 13, 4},
                         {0, {}, -1},
                         {13, {}, -2},
                         {0, -13, 1}}) {
    SCOPED_TRACE(::testing::Message() << r.start << ":" << r.stop.value_or(999) << ":" << r.step);
    EXPECT_TRUE(matches(held.slice(1, r.start, r.stop, r.step), naive::slice(x, 1, r.start, r.stop, r.step)));
  }
}

EG_TEST(Slice, every_axis_of_every_view) {
  for (int axis : {0, 1, -1})
    check_over_views(
        DType::f32, {{5, 13, 3}}, [&](const Tensor& x) { return slice(x, axis, 1, {}, 2); },
        [&](const Array& x) { return naive::slice(x, axis, 1, {}, 2); });
}

EG_TEST(Slice, of_nothing) {
  const Array x = random_array(DType::f32, {3, 0});
  EXPECT_TRUE(matches(upload(x).slice(1, 0), x));
  EXPECT_TRUE(matches(upload(x).slice(1, 0, 0, 5), x));
  EXPECT_TRUE(matches(upload(x).slice(0, 1, 2), naive::slice(x, 0, 1, 2, 1)));
}

EG_TEST(Pad, every_view) {
  const naive::Pairs ends = {{1, 2}, {0, 3}, {4, 0}};
  check_over_views(
      DType::f32, {{5, 13, 3}, {2, 0, 5}}, [&](const Tensor& x) { return x.pad(ends, 7.5F); },
      [&](const Array& x) { return naive::pad(x, ends, 7.5); });
}

EG_TEST(Pad, every_dtype) {
  Draw draw = draw_programs_one_of(3);
  for (DType dtype : every_dtype) {
    if (!draw.next()) continue;
    const Array x = random_array(dtype, {13, 3});
    EXPECT_TRUE(matches(pad(upload(x), {{2, 0}, {1, 1}}, 1), naive::pad(x, {{2, 0}, {1, 1}}, 1)));
    EXPECT_TRUE(matches(pad(upload(x), {{0, 0}, {0, 5}}), naive::pad(x, {{0, 0}, {0, 5}}, 0)));
  }
}

// Software devices copy long rows over zeros.
EG_TEST(Pad, long_rows_of_narrow_elements) {
  for (DType dtype : {DType::f16, DType::u8}) {
    const Array x = random_array(dtype, {3, 4, 2, 151});
    const naive::Pairs ends = {{1, 1}, {0, 2}, {2, 1}, {1, 3}};
    EXPECT_TRUE(matches(pad(upload(x), ends), naive::pad(x, ends, 0)));
    EXPECT_TRUE(matches(pad(upload(x), ends, 1), naive::pad(x, ends, 1)));
    EXPECT_TRUE(matches(roll(upload(x), {40}, {3}), naive::roll(x, {0, 0, 0, 40})));
  }
}

EG_TEST(Pad, nothing_around_anything_and_anything_around_nothing) {
  const Array x = random_array(DType::f32, {3, 5});
  EXPECT_TRUE(matches(upload(x).pad({{0, 0}, {0, 0}}), x));
  const Array scalar = random_array(DType::f32, {});
  EXPECT_TRUE(matches(upload(scalar).pad({}), scalar));
  const Array nothing = random_array(DType::f32, {0});
  EXPECT_TRUE(matches(upload(nothing).pad({{2, 1}}, 3), naive::pad(nothing, {{2, 1}}, 3)));
}

EG_TEST(Pad, then_used_in_an_expression_and_a_sum) {
  const Array x = random_array(DType::i32, {7, 9});
  const Array padded = naive::pad(x, {{1, 1}, {2, 2}}, 4);
  const Tensor held = pad(upload(x), {{1, 1}, {2, 2}}, 4);
  EXPECT_TRUE(matches(held * held - 1, naive::map(padded, DType::i32, [](double v) { return v * v - 1; })));
  EXPECT_TRUE(matches(sum(held, {1}), naive::sum(padded, {1})));
  EXPECT_TRUE(matches(held.crop({{1, 8}, {2, 11}}), x));
}

}  // namespace
}  // namespace eglantine::test
