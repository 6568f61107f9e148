#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Reduce, Sum);
EG_ON_EACH_DEVICE(Reduce, Prod);
EG_ON_EACH_DEVICE(Reduce, MaxMin);
EG_ON_EACH_DEVICE(Reduce, AnyAll);
EG_ON_EACH_DEVICE(Reduce, MultiplySum);

constexpr double eps = 0x1p-23;

using AxesList = std::vector<std::vector<int64_t>>;

/// All reductions of this rank: no axis named, one, several, all.
AxesList axes_of_rank(size_t rank) {
  if (rank == 0) return {{}};
  if (rank == 1) return {{}, {0}, {-1}};
  if (rank == 2) return {{}, {0}, {1}, {-2, -1}};
  if (rank == 3) return {{}, {0}, {1}, {2}, {0, 2}, {-1, 0}, {1, 2}};
  return {{}, {0}, {-1}, {1, 3}, {0, 2}, {3, 0, 1}};
}

/// The promised error bound of a float sum.
Array sum_bounds(const Array& x, const std::vector<int64_t>& axes, bool keepdims) {
  const Array lengths = naive::reduce(x, axes, keepdims, DType::f32,
                                      [](const std::vector<double>& e) { return static_cast<double>(e.size()); });
  return naive::map(naive::sum_of_absolutes(x, axes, keepdims), lengths, DType::f32,
                    [](double absolutes, double n) { return n == 0 ? 0 : (128 + std::log2(n)) * eps * absolutes; });
}

void check_sum(const Sample& x, const std::vector<int64_t>& axes, bool keepdims) {
  const Tensor result = sum(x.tensor, axes, keepdims);
  const Array expected = naive::sum(x.array, axes, keepdims);
  if (x.array.dtype == DType::f32)
    EXPECT_TRUE(within(result, expected, sum_bounds(x.array, axes, keepdims)));
  else
    EXPECT_TRUE(matches(result, expected));
}

EG_TEST(Sum, every_shape_over_every_axis) {
  for (const Dims& shape : every_shape())
    for (const auto& axes : axes_of_rank(shape.size()))
      for (bool keepdims : {false, true}) {
        SCOPED_TRACE(text(shape) + " over " + text(axes));
        const Array x = random_array(DType::f32, shape);
        check_sum({upload(x), x}, axes, keepdims);
      }
}

EG_TEST(Sum, every_view_over_every_axis) {
  for (const View& view : every_view())
    for (const auto& axes : axes_of_rank(3)) {
      SCOPED_TRACE(view.name + " over " + text(axes));
      check_sum(view.hold(random_array(DType::f32, {5, 13, 37})), axes, false);
    }
}

EG_TEST(Sum, every_dtype) {
  for (DType dtype : every_dtype)
    for (const auto& axes : axes_of_rank(2)) {
      const Array x = random_array(dtype, {13, 127});
      check_sum({upload(x), x}, axes, true);
    }
}

EG_TEST(Sum, integers_wrap) {
  for (DType dtype : {DType::i32, DType::u32}) {
    const Array x = random_bits(dtype, {3, 1025});
    check_sum({upload(x), x}, {1}, false);
    check_sum({upload(x), x}, {0}, false);
  }
}

EG_TEST(Sum, long_rows_and_long_columns) {
  for (const Dims& shape : {Dims{2, 70001}, Dims{70001, 2}, Dims{100003}, Dims{9001, 17}, Dims{3, 5003, 5}}) {
    const Array x = random_array(DType::f32, shape);
    for (const auto& axes : axes_of_rank(shape.size())) {
      SCOPED_TRACE(text(shape) + " over " + text(axes));
      check_sum({upload(x), x}, axes, false);
    }
  }
}

EG_TEST(Sum, of_a_fused_expression) {
  const Array x = random_array(DType::f32, {13, 127});
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v; });
  for (const auto& axes : axes_of_rank(2))
    EXPECT_TRUE(within(sum(square(upload(x)), axes), naive::sum(squares, axes),
                       naive::map(sum_bounds(squares, axes, false), DType::f32, [](double b) { return b * 1.1; })));
}

EG_TEST(Sum, infinities_and_nan_arrive) {
  for (const auto& [special, expected] : {std::pair{infinity, infinity}, {-infinity, -infinity}, {nan, nan}})
    for (const Dims& shape : {Dims{1025, 3}, Dims{3, 1025}}) {
      Array x = random_array(DType::f32, shape);
      x.values[x.values.size() / 2] = special;
      EXPECT_TRUE(matches(sum(upload(x)), Array{DType::f32, {}, {expected}}));
      check_sum({upload(x), x}, {0}, false);
      check_sum({upload(x), x}, {1}, false);
    }
}

EG_TEST(Sum, over_nothing_is_zero) {
  for (DType dtype : every_dtype)
    for (const auto& axes : AxesList{{}, {0}, {1}, {0, 1}}) {
      const Array x = random_array(dtype, {0, 3});
      EXPECT_TRUE(matches(sum(upload(x), axes), naive::sum(x, axes)));
    }
}

EG_TEST(Sum, negative_zeros_keep_no_sign_that_matters) {
  const Array x{DType::f32, {4}, {-0.0, -0.0, -0.0, -0.0}};
  EXPECT_EQ(sum(upload(x)).item<float>(), 0.0F);
}

EG_TEST(Prod, floats_are_within_n_eps) {
  for (const auto& axes : axes_of_rank(3)) {
    const Array x = random_reals({5, 13, 7}, 0.9, 1.1);
    EXPECT_TRUE(matches(prod(upload(x), axes), naive::prod(x, axes), {0, 455 * eps, 0}));
  }
}

EG_TEST(Prod, every_dtype_and_view) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean})
    check_over_views(
        dtype, {{3, 13}}, [](const Tensor& x) { return prod(x, {1}); },
        [](const Array& x) { return naive::prod(x, {1}); });
}

EG_TEST(Prod, integers_wrap_and_nothing_is_one) {
  Array odd = random_bits(DType::u32, {3, 1025});
  for (double& v : odd.values) v = as_element(DType::u32, v - std::fmod(v, 2) + 1);
  EXPECT_TRUE(matches(prod(upload(odd), {1}), naive::prod(odd, {1})));
  EXPECT_EQ(prod(upload(random_array(DType::f32, {0}))).item<float>(), 1.0F);
  EXPECT_EQ(prod(upload(random_array(DType::boolean, {2, 0})), {1}).to_vector<int32_t>(), (std::vector<int32_t>{1, 1}));
}

EG_TEST(MaxMin, every_dtype_over_every_axis) {
  Draw draw = draw_programs_one_of(12);
  for (DType dtype : every_dtype)
    for (const auto& axes : axes_of_rank(3))
      for (bool keepdims : {false, true}) {
        if (!draw.next()) continue;
        SCOPED_TRACE(std::string(name_of(dtype)) + " over " + text(axes));
        const Array x = random_array(dtype, {5, 13, 37});
        EXPECT_TRUE(matches(max(upload(x), axes, keepdims), naive::max(x, axes, keepdims)));
        EXPECT_TRUE(matches(min(upload(x), axes, keepdims), naive::min(x, axes, keepdims)));
      }
}

EG_TEST(MaxMin, every_view) {
  for (const auto& axes : AxesList{{}, {0}, {1}}) {
    check_over_views(
        DType::f32, {{13, 127}}, [&](const Tensor& x) { return max(x, axes); },
        [&](const Array& x) { return naive::max(x, axes); });
    check_over_views(
        DType::f32, {{13, 127}}, [&](const Tensor& x) { return min(x, axes); },
        [&](const Array& x) { return naive::min(x, axes); });
  }
}

EG_TEST(MaxMin, one_nan_anywhere_makes_nan) {
  for (int64_t length : {1, 3, 127, 1025, 20000})
    for (int64_t place : {int64_t{0}, length / 2, length - 1}) {
      Array x = random_array(DType::f32, {length});
      x.values[static_cast<size_t>(place)] = nan;
      EXPECT_TRUE(std::isnan(max(upload(x)).item<float>())) << place << " of " << length;
      EXPECT_TRUE(std::isnan(min(upload(x)).item<float>())) << place << " of " << length;
    }
}

EG_TEST(MaxMin, identities_are_infinities) {
  const Array low{DType::f32, {3}, {-infinity, -infinity, -infinity}};
  const Array high{DType::f32, {3}, {infinity, infinity, infinity}};
  EXPECT_EQ(max(upload(low)).item<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(min(upload(high)).item<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(max(upload(Array{DType::i32, {2}, {-2147483648.0, -2147483648.0}})).item<int32_t>(), INT32_MIN);
  EXPECT_EQ(min(upload(Array{DType::u32, {2}, {4294967295.0, 4294967295.0}})).item<uint32_t>(), UINT32_MAX);
}

EG_TEST(MaxMin, of_an_empty_result) {
  const Array x = random_array(DType::f32, {0, 3});
  EXPECT_TRUE(matches(max(upload(x), {1}), Array{DType::f32, {0}, {}}));
}

EG_TEST(AnyAll, every_dtype_over_every_axis) {
  const auto any_of = [](const std::vector<double>& e) {
    for (double v : e)
      if (v != 0) return 1.0;
    return 0.0;
  };
  const auto all_of = [](const std::vector<double>& e) {
    for (double v : e)
      if (v == 0) return 0.0;
    return 1.0;
  };
  for (DType dtype : every_dtype)
    for (const auto& axes : axes_of_rank(2)) {
      Array x = random_array(dtype, {13, 5});
      for (size_t i = 0; i < 5; ++i) x.values[i] = 0, x.values[5 + i] = 1;
      EXPECT_TRUE(matches(any(upload(x), axes), naive::reduce(x, axes, false, DType::boolean, any_of)));
      EXPECT_TRUE(matches(all(upload(x), axes, true), naive::reduce(x, axes, true, DType::boolean, all_of)));
    }
}

EG_TEST(AnyAll, nan_is_true_and_nothing_is_false_and_true) {
  EXPECT_TRUE(all(upload(Array{DType::f32, {2}, {nan, 1}})).item<bool>());
  EXPECT_FALSE(any(upload(Array{DType::f32, {2}, {0, -0.0}})).item<bool>());
  EXPECT_FALSE(any(upload(random_array(DType::f32, {0}))).item<bool>());
  EXPECT_TRUE(all(upload(random_array(DType::u32, {0}))).item<bool>());
}

/// 2^40 elements of memory for five would take minutes.
EG_TEST(MaxMin, of_repeated_elements_read_each_once) {
  using Verb = Tensor (*)(const Tensor&, Axes, bool);
  const std::vector<std::pair<const char*, Verb>> verbs{{"max", max},       {"min", min}, {"nanmax", nanmax},
                                                        {"nanmin", nanmin}, {"any", any}, {"all", all}};
  Draw draw = draw_programs_one_of(5);
  for (const DType dtype : {DType::f32, DType::f16, DType::i32, DType::boolean})
    for (const auto& [name, verb] : verbs)
      for (const Axes& axes : {Axes{0}, Axes{0, 1}, Axes{1, 2}, Axes{}}) {
        if ((name[0] == 'a') != (dtype == DType::boolean) || !draw.next()) continue;
        SCOPED_TRACE(std::string(name) + " of " + std::string(name_of(dtype)));
        const Tensor once = upload(random_array(DType::f32, {1, 1, 5})).astype(dtype).eval();
        const Tensor all_of = once.expand({1 << 20, 1 << 20, 5}),
                     few = stack({once.expand({1, 3, 5}), once.expand({1, 3, 5})}, 0).reshape({2, 3, 5});
        const Tensor y = verb(all_of, axes, true), expected = verb(few, axes, true);
        EXPECT_TRUE(matches(y.slice(0, 0, 1).slice(1, 0, 1), download(expected.slice(0, 0, 1).slice(1, 0, 1))));
      }
}

EG_TEST(MultiplySum, broadcasts_and_reduces_in_one) {
  const Array a = random_array(DType::f32, {5, 13, 1});
  const Array b = random_array(DType::f32, {13, 37});
  const Array products = naive::map(a, b, DType::f32, [](double x, double y) { return x * y; });
  for (const auto& axes : axes_of_rank(3))
    EXPECT_TRUE(within(multiply_sum(upload(a), upload(b), axes, true), naive::sum(products, axes, true),
                       naive::map(sum_bounds(products, axes, true), DType::f32, [](double v) { return v * 1.1; })));
}

EG_TEST(MaxMin, integers_of_many_rows_of_drawn_columns_and_their_sums) {
  Random random(draw_seed());
  for (int i = 0; i < 4; ++i) {
    const Dims shape{random.integer(1, 3), random.integer(129, 3000), random.integer(1, 40)};
    const Array x = random_bits(i % 2 == 0 ? DType::i32 : DType::u32, shape, random.word());
    SCOPED_TRACE(std::string(name_of(x.dtype)) + text(shape));
    EXPECT_TRUE(matches(max(upload(x), 1), naive::max(x, {1})));
    EXPECT_TRUE(matches(min(upload(x), 1), naive::min(x, {1})));
    EXPECT_TRUE(matches(sum(upload(x), 1), naive::sum(x, {1})));
    Array mask{DType::boolean, shape, std::vector<double>(static_cast<size_t>(x.size()), 0)};
    for (int j = 0; j < 9; ++j) mask.values[static_cast<size_t>(random.integer(0, x.size() - 1))] = 1;
    EXPECT_TRUE(matches(any(upload(mask), 1), naive::max(mask, {1})));
    EXPECT_TRUE(matches(!all(!upload(mask), 1), naive::max(mask, {1})));
  }
}

EG_TEST(MultiplySum, integers_wrap) {
  const Array a = random_bits(DType::i32, {13, 127}, 1);
  const Array b = random_array(DType::i32, {127}, 2);
  const Array products = naive::map(a, b, DType::i32, [](double x, double y) {
    return as_element(DType::i32, x * y);  // |x * y| < 2^38: exact in a double
  });
  EXPECT_TRUE(matches(multiply_sum(upload(a), upload(b), {1}), naive::sum(products, {1})));
}

}  // namespace
}  // namespace eglantine::test
