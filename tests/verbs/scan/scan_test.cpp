#include <algorithm>
#include <cmath>
#include <tuple>

#include "eglantine/error.hpp"
#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Scan, Cumsum);
EG_ON_EACH_DEVICE(Scan, Cumprod);
EG_ON_EACH_DEVICE(Scan, Cummax);
EG_ON_EACH_DEVICE(Scan, AnyScan);

using naive::ScanWay;

constexpr double eps = 0x1p-23;

const std::vector<ScanWay> every_way = {{false, false}, {true, false}, {false, true}, {true, true}};
// Each combination is another program: only the extremes where another parameter varies.
const std::vector<ScanWay> two_ways = {{false, false}, {true, true}};

std::string text_of(const Dims& shape, int axis, ScanWay way) {
  return text(shape) + " along " + std::to_string(axis) + (way.exclusive ? " exclusive" : "") +
         (way.reverse ? " reverse" : "");
}

/// The promised error bound of a float cumsum, relative to the sum of absolute values so far.
Array sum_bounds(const Array& x, int axis, ScanWay way) {
  const Array absolutes = naive::cumsum(naive::map(x, DType::f32, [](double v) { return std::abs(v); }), axis, way);
  const double n = static_cast<double>(x.shape[static_cast<size_t>(axis < 0 ? axis + x.rank() : axis)]);
  return naive::map(absolutes, DType::f32, [=](double v) { return n < 2 ? 0 : (128 + std::log2(n)) * eps * v; });
}

void check_sum(const Sample& x, int axis, ScanWay way = {}) {
  const Tensor result = cumsum(x.tensor, axis, way.exclusive, way.reverse);
  const Array expected = naive::cumsum(x.array, axis, way);
  if (x.array.dtype == DType::f32)
    EXPECT_TRUE(within(result, expected, sum_bounds(x.array, axis, way))) << text_of(x.array.shape, axis, way);
  else
    EXPECT_TRUE(matches(result, expected)) << text_of(x.array.shape, axis, way);
}

EG_TEST(Cumsum, every_shape_along_every_axis_every_way) {
  Draw draw = draw_programs_one_of(3);
  for (const Dims& shape : shapes_of_rank(1))
    for (int axis = -1; axis < static_cast<int>(shape.size()); ++axis)
      for (ScanWay way : every_way) {
        if (!draw.next()) continue;
        const Array x = random_array(DType::f32, shape);
        check_sum({upload(x), x}, axis, way);
      }
}

EG_TEST(Cumsum, every_view_along_every_axis) {
  for (const View& view : every_view())
    for (int axis : {0, 1, 2}) {
      SCOPED_TRACE(view.name);
      check_sum(view.hold(random_array(DType::f32, {5, 13, 37})), axis);
    }
}

EG_TEST(Cumsum, every_view_in_reverse_without_the_element) {
  for (const View& view : every_view()) {
    SCOPED_TRACE(view.name);
    check_sum(view.hold(random_array(DType::f32, {5, 13, 37})), 1, {true, true});
  }
}

EG_TEST(Cumsum, every_dtype) {
  for (DType dtype : every_dtype)
    for (int axis : {0, 1})
      for (ScanWay way : two_ways) {
        const Array x = random_array(dtype, {13, 127});
        check_sum({upload(x), x}, axis, way);
      }
}

/// Around the lengths of runs, blocks, tiles and chunks.
EG_TEST(Cumsum, lengths_around_every_block_are_exact_in_integers) {
  for (int64_t length :
       {2,    3,    4,    5,    15,   16,   17,   63,   64,   65,   127,   255,   256,   257,   511,  513,
        1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 8191, 8193, 12289, 16383, 16384, 16385, 32769})
    for (const auto& [shape, axis] : {std::pair{Dims{length}, 0}, {Dims{3, length}, 1}, {Dims{length, 3}, 0}}) {
      const Array x = random_bits(DType::u32, shape);
      check_sum({upload(x), x}, axis);
    }
}

EG_TEST(Cumsum, integers_wrap) {
  for (ScanWay way : every_way) {
    const Array x = random_bits(DType::i32, {3, 5003});
    check_sum({upload(x), x}, 1, way);
    check_sum({upload(x), x}, 0, way);
  }
}

EG_TEST(Cumsum, a_row_of_three_million_and_a_hundred_thousand_rows) {
  for (const auto& [shape, axis] :
       {std::pair{Dims{3000017}, 0}, {Dims{100000, 64}, 1}, {Dims{100, 20011}, 1}, {Dims{70001, 5}, 0}}) {
    const Array x = random_bits(DType::u32, shape);
    check_sum({upload(x), x}, axis);
  }
}

/// More rows, or columns, than 65,535 groups.
EG_TEST(Cumsum, more_rows_than_groups) {
  const Array x = random_bits(DType::u32, {600011, 3});
  check_sum({upload(x), x}, 1);
  const Array wide = random_bits(DType::u32, {2, 2400007});
  check_sum({upload(wide), wide}, 0);
}

EG_TEST(Cumsum, stays_within_its_error_on_long_rows_and_columns) {
  for (const auto& [shape, axis] :
       {std::pair{Dims{1048583}, 0}, {Dims{65, 20011}, 1}, {Dims{100003, 3}, 0}, {Dims{20011, 130}, 0}}) {
    const Array random = random_array(DType::f32, shape);
    check_sum({upload(random), random}, axis);
    // Values that round in one direction; and small numbers after a large one, which a serial loop would lose.
    const Array third = generate(DType::f32, shape, [](const Dims&) { return as_element(DType::f32, 1.0 / 3); });
    check_sum({upload(third), third}, axis);
    const Array lost = generate(DType::f32, shape,
                                [axis](const Dims& at) { return at[static_cast<size_t>(axis)] == 0 ? 0x1p24 : 0.75; });
    check_sum({upload(lost), lost}, axis, {true, false});
  }
}

EG_TEST(Cumsum, infinities_and_nan_stay_to_the_end) {
  for (double special : {infinity, nan})
    for (const Dims& shape : {Dims{9001, 3}, Dims{3, 9001}}) {
      Array x = random_array(DType::f32, shape);
      x.values[x.values.size() / 2] = special;
      check_sum({upload(x), x}, 0);
      check_sum({upload(x), x}, 1);
    }
}

EG_TEST(Cumsum, an_exclusive_sum_starts_with_zero_not_minus_zero) {
  for (const Dims& shape : {Dims{1}, Dims{5}, Dims{3000}, Dims{3000, 4}}) {
    const Array x = generate(DType::f32, shape, [](const Dims&) { return -0.0; });
    const Array zeros = generate(DType::f32, shape, [](const Dims&) { return 0.0; });
    EXPECT_TRUE(matches(cumsum(upload(x), 0, true), zeros, bitwise)) << text(shape);
  }
}

EG_TEST(Cumprod, every_dtype) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean})
    for (int axis : {0, 1})
      for (ScanWay way : two_ways) {
        Array x = random_bits(dtype, {1025, 13});
        if (dtype != DType::boolean)
          for (double& v : x.values) v = as_element(dtype, v - std::fmod(v, 2) + 1);
        EXPECT_TRUE(matches(cumprod(upload(x), axis, way.exclusive, way.reverse), naive::cumprod(x, axis, way)))
            << name_of(dtype) << text_of(x.shape, axis, way);
      }
}

EG_TEST(Cumprod, floats_are_within_n_eps) {
  for (const auto& [shape, axis] : {std::pair{Dims{5003}, 0}, {Dims{13, 127}, 1}, {Dims{127, 13}, 0}}) {
    const Array x = random_reals(shape, 0.99, 1.01);
    const double n = static_cast<double>(shape[static_cast<size_t>(axis)]);
    EXPECT_TRUE(matches(cumprod(upload(x), axis), naive::cumprod(x, axis), {0, n * eps, 0}));
    EXPECT_TRUE(matches(cumprod(upload(x), axis, true, true), naive::cumprod(x, axis, {true, true}), {0, n * eps, 0}));
  }
}

EG_TEST(Cumprod, a_zero_stays) {
  Array x = random_reals({2000}, 0.9, 1.1);
  x.values[700] = 0;
  EXPECT_TRUE(matches(cumprod(upload(x), 0), naive::cumprod(x, 0), {0, 2000 * eps, 0}));
}

EG_TEST(Cummax, every_dtype) {
  Draw draw = draw_programs_one_of(4);
  for (DType dtype : every_dtype)
    for (const auto& [shape, axis, way] : {std::tuple{Dims{3, 700}, 1, two_ways[0]}, {Dims{60, 5}, 0, two_ways[1]}}) {
      if (!draw.next()) continue;
      const Array x = dtype == DType::f32 ? random_array(dtype, shape) : random_bits(dtype, shape);
      SCOPED_TRACE(std::string(name_of(dtype)) + text_of(shape, axis, way));
      EXPECT_TRUE(matches(cummax(upload(x), axis, way.exclusive, way.reverse), naive::cummax(x, axis, way)));
      EXPECT_TRUE(matches(cummin(upload(x), axis, way.exclusive, way.reverse), naive::cummin(x, axis, way)));
    }
}

EG_TEST(Cummax, nan_from_the_first_nan_on) {
  for (const auto& [shape, axis] : {std::pair{Dims{9001}, 0}, {Dims{9001, 3}, 0}, {Dims{100, 64}, 1}}) {
    Array x = random_array(DType::f32, shape);
    for (size_t place : {size_t{2}, x.values.size() / 2, x.values.size() - 3}) x.values[place] = nan;
    x.values[0] = -infinity;
    EXPECT_TRUE(matches(cummax(upload(x), axis), naive::cummax(x, axis)));
    EXPECT_TRUE(matches(cummin(upload(x), axis, true, true), naive::cummin(x, axis, {true, true})));
  }
}

struct NamedScan {
  std::string name;
  Tensor (*call)(const Tensor&, int, bool, bool);
  Array (*expected)(const Array&, naive::Axis, ScanWay);
};
const std::vector<NamedScan> scans = {{"cumsum", cumsum, naive::cumsum},
                                      {"cumprod", cumprod, naive::cumprod},
                                      {"cummax", cummax, naive::cummax},
                                      {"cummin", cummin, naive::cummin}};

EG_TEST(AnyScan, along_one_element_or_over_none) {
  for (const auto& [name, call, expected] : scans)
    for (DType dtype : every_dtype)
      for (const auto& [shape, axis] :
           {std::pair{Dims{1}, 0}, {Dims{3, 1}, 1}, {Dims{1, 5}, -2}, {Dims{0}, 0}, {Dims{0, 3}, 1}, {Dims{3, 0}, 0}})
        for (ScanWay way : every_way) {
          const Array x = random_array(dtype, shape);
          EXPECT_TRUE(matches(call(upload(x), axis, way.exclusive, way.reverse), expected(x, axis, way)))
              << name << " " << name_of(dtype) << text_of(shape, axis, way);
        }
}

/// Of many elements the results lie as the operand does, and who reads them sees a view.
EG_TEST(AnyScan, of_a_transposed_tensor_lies_as_it_does) {
  const Array x = random_array(DType::i32, {9, 290, 110});
  const Array bytes = random_bits(DType::u8, {9, 290, 110});
  for (const int other : {0, 1})
    for (int axis = 0; axis < 3; ++axis)
      for (const ScanWay way : two_ways) {
        const Array of = naive::transpose(x, other, 2), of_bytes = naive::transpose(bytes, other, 2);
        const Tensor seen = upload(x).transpose(other, 2), sums = cumsum(seen, axis, way.exclusive, way.reverse);
        const auto* view = sums.node()->as<nodes::View>();
        ASSERT_NE(view, nullptr);
        EXPECT_EQ(view->source->shape, (Shape{9, 290, 110}));
        EXPECT_TRUE(matches(sums, naive::cumsum(of, axis, way))) << text_of(of.shape, axis, way);
        EXPECT_TRUE(matches(cummax(upload(bytes).transpose(other, 2), axis, way.exclusive, way.reverse),
                            naive::cummax(of_bytes, axis, way)));
        EXPECT_TRUE(matches(2 * cumsum(seen.flip(axis), axis, way.exclusive, way.reverse),
                            naive::map(naive::cumsum(naive::flip(of, {axis}), axis, way), DType::i32,
                                       [](double v) { return as_element(DType::i32, 2 * v); })));
      }
  EXPECT_EQ(cumsum(upload(x).transpose(0, 1), 0).node()->as<nodes::View>(), nullptr) << "rows stay beside each other";
}

EG_TEST(AnyScan, an_axis_out_of_range) {
  for (const auto& [name, call, expected] : scans) {
    EXPECT_ERROR(call(ones({2, 3}), 2, false, false), ShapeError,
                 "[" + name + "] axis 2 is out of range for a tensor of rank 2: it must lie in [-2, 1]");
    EXPECT_ERROR(call(ones({}), 0, false, false), ShapeError, "[" + name + "] axis 0 of a scalar, which has no axes");
  }
}

EG_TEST(AnyScan, has_the_same_bits_every_time) {
  for (const auto& [shape, axis] : {std::pair{Dims{300007}, 0},
                                    {Dims{2000003}, 0},
                                    {Dims{65, 3001}, 1},
                                    {Dims{3000, 257}, 1},
                                    {Dims{30011, 7}, 0}}) {
    const Tensor x = upload(random_array(DType::f32, shape));
    const Tensor first = cumsum(x, axis);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(same_bits(cumsum(x, axis), first)) << text(shape) << " run " << i;
  }
}

}  // namespace
}  // namespace eglantine::test
