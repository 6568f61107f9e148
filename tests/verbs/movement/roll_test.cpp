#include <cmath>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/random/random_data.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_remap.hpp"

/// roll, over views, against where each element must come from.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Movement, Roll);

Array flat(Array x, const Dims& shape) {
  x.shape = shape;
  return x;
}

EG_TEST(Roll, one_axis_over_every_view) {
  for (int axis : {0, 1, -1}) {
    const auto verb = [&](const Tensor& x) { return roll(x, 2, axis); };
    const auto reference = [&](const Array& x) {
      Dims shifts(3, 0);
      shifts[static_cast<size_t>(axis < 0 ? 2 : axis)] = 2;
      return naive::roll(x, shifts);
    };
    // Between two others an axis collapses with none.
    if (axis == 1)
      check_over_views(DType::f32, {{5, 13, 3}, {2, 0, 3}}, verb, reference);
    else
      check_over_some_views(random_array(DType::f32, {5, 13, 3}), verb, reference);
  }
}

EG_TEST(Roll, several_axes_over_every_view) {
  check_over_views(
      DType::f32, {{5, 13, 3}},
      [](const Tensor& x) {
        return roll(x, {1, -4, 2}, {0, 1, 2});
      },
      [](const Array& x) {
        return naive::roll(x, {1, -4, 2});
      });
}

EG_TEST(Roll, the_flattened_tensor_over_every_view) {
  check_over_views(
      DType::f32, {{5, 13, 3}, {}, {0}, {1025}}, [](const Tensor& x) { return roll(x, -7); },
      [](const Array& x) { return flat(naive::roll(flat(x, {x.size()}), {-7}), x.shape); });
}

/// Long enough that each piece is transposed by itself on hardware.
EG_TEST(Roll, a_large_transposed_operand) {
  const Array x = random_array(DType::i32, {3, 601, 703});
  for (const Dims& order : {Dims{0, 2, 1}, Dims{2, 1, 0}, Dims{2, 0, 1}}) {
    const Array y = naive::permute(x, order);
    for (const Dims& shifts : {Dims{0, 0, 1}, Dims{0, -7, 0}, Dims{1, 0, 100}})
      EXPECT_TRUE(matches(roll(upload(x).permute(Axes(order)), Axes(shifts), {0, 1, 2}), naive::roll(y, shifts)))
          << text(order) << " by " << text(shifts);
  }
}

EG_TEST(Roll, every_dtype) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {4, 127});
    EXPECT_TRUE(matches(roll(upload(x), {1, 100}, {0, 1}), naive::roll(x, {1, 100})));
  }
}

EG_TEST(Roll, shifts_of_any_size_and_sign) {
  const Array x = iota(DType::i32, {13});
  for (int64_t shift : {int64_t{0}, int64_t{1}, int64_t{12}, int64_t{13}, int64_t{14}, int64_t{-1}, int64_t{-13},
                        int64_t{1000}, INT64_MAX, INT64_MIN})
    EXPECT_TRUE(matches(roll(upload(x), Axes{shift}, 0), naive::roll(x, {shift % 13}))) << shift;
  EXPECT_TRUE(matches(roll(upload(x), {INT64_MAX, INT64_MAX, INT64_MIN}, {0, 0, 0}),
                      naive::roll(x, {2 * (INT64_MAX % 13) + INT64_MIN % 13})));
}

EG_TEST(Roll, an_axis_named_twice_and_one_shift_for_several) {
  const Array x = random_array(DType::f32, {5, 13});
  EXPECT_TRUE(matches(roll(upload(x), {1, 2, 3}, {0, 1, 0}), naive::roll(x, {4, 2})));
  EXPECT_TRUE(matches(roll(upload(x), 2, {0, -1}), naive::roll(x, {2, 2})));
  EXPECT_TRUE(matches(roll(upload(x), {1, 2}, 1), naive::roll(x, {0, 3})));
  EXPECT_TRUE(matches(roll(upload(x), {1, 2}), flat(naive::roll(flat(x, {65}), {3}), {5, 13})));
}

EG_TEST(Roll, of_rank_eight) {
  const Array x = random_array(DType::f32, {2, 1, 3, 1, 2, 3, 2, 2});
  EXPECT_TRUE(matches(roll(upload(x), 1, {0, 1, 2, 3, 4, 5, 6, 7}), naive::roll(x, Dims(8, 1))));
}

EG_TEST(Roll, special_values_keep_their_bits) {
  const Tensor x = Tensor::from({-0.0F, NAN, INFINITY, -INFINITY}, {4});
  EXPECT_TRUE(matches(roll(x, 1), naive::roll(download(x), {1})));
}

EG_TEST(Roll, neighbours_in_a_heat_equation) {
  const Array x = random_array(DType::f32, {13, 127});
  const Tensor u = upload(x);
  const Tensor sum_of_all = roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1);
  const auto step = [](double a, double b) { return static_cast<double>(static_cast<float>(a + b)); };
  const Array north = naive::roll(x, {1, 0}), south = naive::roll(x, {-1, 0}), west = naive::roll(x, {0, 1}),
              east = naive::roll(x, {0, -1});
  EXPECT_TRUE(matches(sum_of_all, generate(DType::f32, x.shape, [&](const Dims& i) {
                        return step(step(step(north.at(i), south.at(i)), west.at(i)), east.at(i));
                      })));
}

/// A roll along an axis along which all of its elements repeat is none, also below another roll, and not of padding.
EG_TEST(Roll, what_repeats_along_an_axis) {
  const auto plus_one = [](double x) { return std::fmod(x, 1000) + 1; };
  for (const int axis : {0, 1}) {
    Dims one{13, 127};
    one[static_cast<size_t>(axis)] = 1;
    const Array x = naive::map(random_array(DType::i32, one), DType::i32, plus_one), y = naive::expand(x, {13, 127});
    const Tensor seen = upload(x).expand({13, 127}) * 2, rows = seen + roll(seen, 1, 0);
    const Array down = naive::roll(y, {1, 0}), right = naive::roll(y, {0, 3}), both = naive::roll(y, {1, 3});
    EXPECT_TRUE(matches(rows + roll(rows, 3, 1), generate(DType::i32, y.shape, [&](const Dims& i) {
                          return 2 * (y.at(i) + down.at(i) + right.at(i) + both.at(i));
                        })));
    const Array padded = naive::pad(naive::map(y, DType::i32, [](double v) { return 2 * v; }), {{2, 0}, {0, 1}}, 0);
    EXPECT_TRUE(matches(roll(pad(seen, {{2, 0}, {0, 1}}), {5, 2}, {0, 1}), naive::roll(padded, {5, 2})));
  }
}

/// Read over rows whose ends are not those of the rolled line, beside what forbids to merge the axes.
EG_TEST(Roll, a_line_seen_as_rows) {
  for (const Dims& shape : {Dims{300, 1}, Dims{257, 3}, Dims{2, 41, 13}, Dims{9, 127}, Dims{4, 300}, Dims{2, 1025}}) {
    const Array line = random_array(DType::f32, {count(shape)}), mask = random_array(DType::boolean, line.shape, 2);
    const Array rows = random_reals({shape.back(), count(shape) / shape.back()}, -1, 1, 3);
    const Array columns = naive::reshape(naive::transpose(rows, 0, 1), shape);
    for (int64_t shift : {int64_t{1}, count(shape) / 2 + 1, count(shape) - 4}) {
      const auto seen = [&](const Array& x) { return roll(upload(x), shift).reshape(Shape(shape)); };
      const auto expected = [&](const Array& x) { return naive::reshape(naive::roll(x, {shift}), shape); };
      const Tensor y = where(seen(mask), seen(line), upload(rows).transpose(0, 1).reshape(Shape(shape)));
      EXPECT_TRUE(matches(y, naive::map(expected(mask), expected(line), columns, DType::f32,
                                        [](double m, double a, double b) { return m != 0 ? a : b; })))
          << text(shape) << " by " << shift;
    }
  }
}

/// Each condition depends on one axis of the rows: their beginnings and ends, and all of some rows, are padding.
EG_TEST(Roll, of_what_is_padded_in_rows_of_every_length) {
  for (int64_t length : {1, 2, 3, 7, 8, 12, 13, 100, 255, 256, 1025})
    for (DType dtype : {DType::f32, DType::boolean}) {
      const Array x = random_array(dtype, {5, 9, length});
      const std::vector<std::pair<int64_t, int64_t>> around{{0, 1}, {2, 3}, {3, 1}};
      const Array padded = naive::pad(x, around, PadMode::constant, 1);
      EXPECT_TRUE(matches(pad(upload(x), around, 1), padded)) << length;
      EXPECT_TRUE(matches(pad(roll(upload(x), {2, 1}, {1, 2}), around, PadMode::edge),
                          naive::pad(naive::roll(x, {0, 2, 1}), around, PadMode::edge)))
          << length;
    }
}

/// Rows of whole vectors of words are moved as words: an element by itself is a load of the word that it lies in.
EG_TEST(Roll, of_narrow_rows_in_whole_words) {
  const auto moves_words = [](const Tensor& x) { return explain(x).find("eg_widen_") == std::string::npos; };
  for (DType dtype : {DType::u8, DType::boolean, DType::f16, DType::bf16}) {
    const Array x = random_array(dtype, {6, 7, 48});
    const std::vector<std::pair<int64_t, int64_t>> around{{1, 2}, {0, 3}, {0, 0}};
    EXPECT_TRUE(moves_words(roll(upload(x), 3, 1)));
    EXPECT_TRUE(matches(roll(upload(x), 3, 1), naive::roll(x, {0, 3, 0})));
    EXPECT_TRUE(matches(roll(upload(x), {-1, 2}, {0, 1}), naive::roll(x, {-1, 2, 0})));
    EXPECT_TRUE(matches(roll(upload(x), {2, 5}, {1, 2}), naive::roll(x, {0, 2, 5})));
    EXPECT_TRUE(moves_words(pad(upload(x), around, 0)));
    EXPECT_TRUE(matches(pad(upload(x), around, 0), naive::pad(x, around, PadMode::constant, 0)));
    EXPECT_TRUE(matches(pad(upload(x), around, 1), naive::pad(x, around, PadMode::constant, 1)));
    EXPECT_TRUE(matches(pad(roll(upload(x), 3, 0), around, PadMode::reflect),
                        naive::pad(naive::roll(x, {3, 0, 0}), around, PadMode::reflect)));
  }
}

}  // namespace
}  // namespace eglantine::test
