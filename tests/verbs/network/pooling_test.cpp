#include "eglantine/verbs/pooling.hpp"

#include <cmath>
#include <limits>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_pooling.hpp"
#include "support/reference/special_values.hpp"

/// Pools against loops over their windows, and how many kernels they are.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, Pools);
EG_ON_EACH_DEVICE(Network, PoolIndices);
EG_ON_EACH_DEVICE(Graph, PoolKernels);
EG_ON_EACH_DEVICE(Windows, WindowedPools);

constexpr Tolerance of_pooled_sums{0, 1e-6, 1e-6};
constexpr Tolerance of_powers{0, 2e-6, 2e-6};

naive::PoolRule pool_rule(size_t axes, int64_t window, int64_t stride, int64_t pad, bool ceil_mode = false) {
  return {Dims(axes, window), Dims(axes, stride), Dims(axes, 1), std::vector(axes, std::pair(pad, pad)), ceil_mode};
}

PoolOptions pool_options(const naive::PoolRule& rule) {
  return {.stride = rule.stride, .padding = rule.pads, .dilation = rule.dilation, .ceil_mode = rule.ceil_mode};
}

Array lp_pool(const Array& x, double p, const naive::PoolRule& rule) {
  return naive::pool(x, rule, DType::f32, [&](const naive::PoolWindow& w) {
    double total = 0;
    for (double value : w.values) total += std::pow(value, p);
    return std::pow(total, 1 / p);
  });
}

/// Where each window has an element.
bool has_elements(const Array& x, const naive::PoolRule& rule) {
  bool all = true;
  naive::pool(x, rule, DType::f32, [&](const naive::PoolWindow& w) {
    all = all && !w.values.empty();
    return 0;
  });
  return all;
}

struct DrawnPool {
  Array x;
  naive::PoolRule rule;
};

/// Of 1 to 3 spatial axes; there is a window along each.
DrawnPool drawn_pool(uint64_t seed) {
  for (Random random(seed);;) {
    const auto axes = static_cast<size_t>(1 + seed % 3);
    DrawnPool drawn{{}, {{}, {}, {}, {}, random.integer(0, 1) == 1}};
    Dims shape{random.integer(1, 3), random.integer(1, 4)};
    for (size_t k = 0; k < axes; ++k) {
      shape.push_back(random.integer(1, axes == 3 ? 7 : 13));
      drawn.rule.window.push_back(random.integer(1, 4));
      drawn.rule.stride.push_back(random.integer(1, 3));
      drawn.rule.dilation.push_back(random.integer(1, 2));
      drawn.rule.pads.emplace_back(random.integer(0, 2), random.integer(0, 2));
    }
    drawn.x = random_array(DType::f32, shape, seed);
    bool any = true;
    for (size_t k = 0; k < axes; ++k) any = any && naive::windows_along(drawn.rule, k, shape[k + 2]) > 0;
    if (any && has_elements(drawn.x, drawn.rule)) return drawn;
  }
}

EG_TEST(Pools, drawn_windows_strides_pads_and_dilations) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 1; seed <= 48; ++seed) {
    if (!draw.next()) continue;
    SCOPED_TRACE(seed);
    const auto [x, rule] = drawn_pool(seed);
    PoolOptions options = pool_options(rule);
    const Tensor on_device = upload(x);
    EXPECT_TRUE(matches(max_pool(on_device, rule.window, options), naive::max_pool(x, rule)));
    EXPECT_TRUE(matches(avg_pool(on_device, rule.window, options), naive::avg_pool(x, rule), of_pooled_sums));
    options.count_padding = false;
    EXPECT_TRUE(matches(avg_pool(on_device, rule.window, options), naive::avg_pool(x, rule, false), of_pooled_sums));
  }
}

EG_TEST(Pools, every_view) {
  const naive::PoolRule rule = pool_rule(2, 3, 2, 1);
  const Array x = random_array(DType::f32, {2, 3, 9, 7});
  const auto square = [&](const Array& of) { return naive::max_pool(of, rule); };
  check_over_some_views(
      x, [&](const Tensor& t) { return max_pool(t, 3, pool_options(rule)); }, square);
  check_over_some_views(
      x, [&](const Tensor& t) { return avg_pool(t, 3, pool_options(rule)); },
      [&](const Array& of) { return naive::avg_pool(of, rule); }, of_pooled_sums);
}

EG_TEST(Pools, the_stride_is_the_window_unless_given) {
  const Array x = random_array(DType::f32, {2, 3, 13, 7});
  const naive::PoolRule rule{{3, 2}, {3, 2}, {1, 1}, {{0, 0}, {0, 0}}};
  EXPECT_TRUE(matches(max_pool(upload(x), {3, 2}), naive::max_pool(x, rule)));
  EXPECT_TRUE(matches(avg_pool(upload(x), {3, 2}), naive::avg_pool(x, rule), of_pooled_sums));
}

/// By PyTorch's example of ceil_mode: what reaches past the padding is not part of the mean.
EG_TEST(Pools, ceil_mode_counts_nothing_beyond_the_padding) {
  const Tensor x = arange(1, 6).reshape({1, 1, 5});
  const auto pooled = [&](const PoolOptions& options) { return avg_pool(x, 3, options).to_vector<float>(); };
  EXPECT_EQ(pooled({.stride = 2, .ceil_mode = true}), (std::vector<float>{2, 4}));
  EXPECT_EQ(pooled({.stride = 3, .ceil_mode = true}), (std::vector<float>{2, 4.5}));
  EXPECT_EQ(pooled({.stride = 3, .padding = 1, .ceil_mode = true}), (std::vector<float>{1, 4}));
  EXPECT_EQ(pooled({.stride = 3, .padding = 1, .ceil_mode = true, .count_padding = false}),
            (std::vector<float>{1.5, 4}));
  // The third window would start in the padding behind.
  EXPECT_EQ(max_pool(x, 2, {.stride = 3, .padding = 1, .ceil_mode = true}).to_vector<float>(),
            (std::vector<float>{1, 4}));
}

EG_TEST(Pools, a_window_longer_than_the_axis_fits_its_padding) {
  const Array x = random_array(DType::f32, {2, 2, 3, 2});
  const naive::PoolRule rule = pool_rule(2, 5, 1, 2);
  EXPECT_TRUE(matches(max_pool(upload(x), 5, pool_options(rule)), naive::max_pool(x, rule)));
  EXPECT_TRUE(matches(avg_pool(upload(x), 5, pool_options(rule)), naive::avg_pool(x, rule), of_pooled_sums));
  EXPECT_EQ(avg_pool(ones({1, 1, 1}), 2, {.stride = 2, .ceil_mode = true}).to_vector<float>(), std::vector<float>{1});
}

EG_TEST(Pools, same_padding_gives_ceil_of_length_by_stride) {
  for (int64_t length : {5, 6}) {
    const Array x = random_array(DType::f32, {1, 2, length});
    const Tensor y = max_pool(upload(x), 4, {.stride = 2, .padding = Padding::same});
    const naive::PoolRule rule{{4}, {2}, {1}, {length == 5 ? std::pair(1L, 2L) : std::pair(1L, 1L)}};
    EXPECT_TRUE(matches(y, naive::max_pool(x, rule)));
  }
}

/// In a derivative they are made place by place; sums of them add in the same order.
EG_TEST(Pools, have_the_same_bits_where_they_are_differentiated) {
  for (uint64_t seed = draw_seed(), end = seed + 20; seed < end; ++seed) {
    const DrawnPool drawn = drawn_pool(seed);
    for (const auto pool : {&avg_pool, &max_pool}) {
      const auto of = [&](const Tensor& y) { return sum((*pool)(y, drawn.rule.window, pool_options(drawn.rule))); };
      const Tensor y = upload(drawn.x).eval();
      EXPECT_TRUE(same_bits(of(y), value_and_grad([&](const Tensors& at) { return of(at[0]); }, {y}).first)) << seed;
    }
  }
}

/// What they give back is one node, and where another derivative goes through it, the nodes that it stands for; sums of
/// it add in the same order.
EG_TEST(Pools, give_back_the_same_bits_to_another_derivative) {
  for (uint64_t seed = draw_seed(), end = seed + 20; seed < end; ++seed) {
    const DrawnPool drawn = drawn_pool(seed);
    const auto pool = [&](const Tensors& at) {
      return Tensors{max_pool(at[0], drawn.rule.window, pool_options(drawn.rule))};
    };
    const Tensor y = upload(drawn.x).eval(), g = uniform(pool({y})[0].shape(), seed).eval();
    const auto given = [&](const Tensors& at) { return sum(vjp(pool, {y}, at).second[0]); };
    EXPECT_TRUE(same_bits(given({g}), value_and_grad(given, {g}).first)) << seed;
  }
}

EG_TEST(Pools, powers_of_the_elements_themselves) {
  const Array x = random_reals({2, 3, 7, 5}, 0, 2);
  const naive::PoolRule rule = pool_rule(2, 3, 2, 1);
  for (double p : {1.0, 2.0, 3.0, 0.5})
    EXPECT_TRUE(matches(lp_pool(upload(x), p, 3, pool_options(rule)), lp_pool(x, p, rule), of_powers)) << p;
  const Tensor negative = Tensor::from({-1.0F, -2.0F}, {1, 1, 2});
  EXPECT_EQ(lp_pool(negative, 1, 2).item<float>(), -3);
  EXPECT_FLOAT_EQ(lp_pool(negative, 2, 2).item<float>(), std::sqrt(5.0F));  // within 4 ulp
  EXPECT_TRUE(std::isnan(lp_pool(negative, 3, 2).item<float>()));
}

EG_TEST(Pools, an_axis_of_its_own_for_each_number_without_n) {
  const Array x = random_array(DType::f32, {3, 7, 5}), batched = naive::reshape(x, {1, 3, 7, 5});
  const naive::PoolRule square = pool_rule(2, 2, 2, 0), line = pool_rule(1, 2, 2, 0);
  EXPECT_TRUE(matches(max_pool(upload(x), {2, 2}), naive::max_pool(x, square)));
  EXPECT_TRUE(matches(max_pool(upload(x), {2}), naive::max_pool(x, line)));
  EXPECT_TRUE(matches(max_pool(upload(x), 2), naive::max_pool(x, line)));
  EXPECT_TRUE(matches(max_pool(upload(batched), 2), naive::max_pool(batched, square)));
}

EG_TEST(Pools, of_three_axes_take_all_eight) {
  const Array x = random_array(DType::f32, {2, 2, 5, 6, 7});
  const naive::PoolRule rule = pool_rule(3, 3, 2, 1);
  EXPECT_TRUE(matches(max_pool(upload(x), 3, pool_options(rule)), naive::max_pool(x, rule)));
  EXPECT_TRUE(
      matches(max_pool_with_indices(upload(x), 3, pool_options(rule)).second, naive::max_pool_indices(x, rule)));
}

/// The lowest values, which padding has too, and those that integers wrap at.
EG_TEST(Pools, padding_never_wins) {
  const naive::PoolRule rule = pool_rule(1, 3, 1, 1);
  for (DType dtype : every_dtype) {
    SCOPED_TRACE(name_of(dtype));
    Array x = random_array(dtype, {1, 3, 13});
    const double lowest = dtype == DType::i32  ? std::numeric_limits<int32_t>::min()
                          : dtype == DType::i8 ? -128.0
                          : is_float(dtype)    ? -infinity
                                               : 0.0;
    for (size_t i = 0; i < 13; ++i) x.values[i] = lowest;
    const auto [values, places] = max_pool_with_indices(upload(x), 3, {.stride = 1, .padding = 1});
    EXPECT_TRUE(matches(values, naive::max_pool(x, rule)));
    EXPECT_TRUE(matches(places, naive::max_pool_indices(x, rule)));
  }
}

EG_TEST(Pools, integers_and_booleans_average_as_f32) {
  const naive::PoolRule rule = pool_rule(1, 3, 2, 1);
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    const Array x = random_array(dtype, {2, 3, 13});
    EXPECT_TRUE(matches(avg_pool(upload(x), 3, pool_options(rule)), naive::avg_pool(x, rule), of_pooled_sums));
  }
}

EG_TEST(Pools, special_values) {
  Array x = random_array(DType::f32, {1, 2, 6, 6});
  x.values[3] = nan;
  x.values[8] = nan;
  x.values[20] = infinity;
  x.values[22] = -infinity;
  x.values[40] = infinity;
  const naive::PoolRule rule = pool_rule(2, 3, 2, 1);
  const auto [values, places] = max_pool_with_indices(upload(x), 3, pool_options(rule));
  EXPECT_TRUE(matches(values, naive::max_pool(x, rule)));
  EXPECT_TRUE(matches(places, naive::max_pool_indices(x, rule)));
  EXPECT_TRUE(matches(avg_pool(upload(x), 3, pool_options(rule)), naive::avg_pool(x, rule), of_pooled_sums));
}

EG_TEST(Pools, without_elements) {
  const PoolOptions options{.stride = 2, .padding = 1, .count_padding = false};
  EXPECT_EQ(max_pool(zeros({0, 3, 5, 5}), 3, options).shape(), (Shape{0, 3, 3, 3}));
  EXPECT_EQ(avg_pool(zeros({2, 0, 5, 5}), 3, options).shape(), (Shape{2, 0, 3, 3}));
  EXPECT_EQ(lp_pool(zeros({0, 3, 5}), 2, 3, options).shape(), (Shape{0, 3, 3}));
  const auto [values, places] = max_pool_with_indices(zeros({0, 3, 5}, DType::u8), 3, options);
  EXPECT_EQ(values.dtype(), DType::u8);
  EXPECT_EQ(places.shape(), (Shape{0, 3, 3}));
  EXPECT_EQ(places.dtype(), DType::i32);
  EXPECT_EQ(max_pool(zeros({1, 1, 0}), 3, {.padding = Padding::same}).shape(), (Shape{1, 1, 0}));
  EXPECT_EQ(avg_pool(zeros({1, 1, 0}), 2, {.padding = 1}).to_vector<float>(), std::vector<float>{0});
}

EG_TEST(PoolIndices, drawn) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 100; seed < 124; ++seed) {
    if (!draw.next()) continue;
    SCOPED_TRACE(seed);
    auto [x, rule] = drawn_pool(seed);
    for (double& value : x.values) value = std::round(value);  // with ties
    const auto [values, places] = max_pool_with_indices(upload(x), rule.window, pool_options(rule));
    EXPECT_TRUE(matches(places, naive::max_pool_indices(x, rule)));
    EXPECT_TRUE(matches(values, naive::max_pool(x, rule)));
  }
}

/// Each window's cotangent at the place that the indices name, with ties and windows of negative infinity or NaN.
Array at_indices(const Array& x, const Array& places, const Array& g) {
  Array sums{x.dtype, x.shape, std::vector<double>(x.values.size())};
  const int64_t planes = x.shape[0] * x.shape[1], spatial = x.size() / planes, windows = g.size() / planes;
  for (int64_t i = 0; i < g.size(); ++i) {
    const auto place = static_cast<int64_t>(places.values[static_cast<size_t>(i)]);
    sums.values[static_cast<size_t>(i / windows * spatial + place)] += g.values[static_cast<size_t>(i)];
  }
  return sums;
}

EG_TEST(PoolIndices, are_where_the_derivative_is) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 200; seed < 248; ++seed) {
    if (!draw.next()) continue;
    SCOPED_TRACE(seed);
    auto [x, rule] = drawn_pool(seed);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double special = seed % 2 == 0 ? -infinity : std::nan("");
    for (double& value : x.values) value = value < 0 ? special : std::round(value);
    const Array places = naive::max_pool_indices(x, rule);
    Array g = random_array(DType::f32, places.shape, seed + 1);
    for (double& value : g.values) value = std::round(value * 4);  // sums of these are exact in any order
    const auto f = [&, &rule = rule](const Tensors& at) {
      return Tensors{max_pool(at[0], rule.window, pool_options(rule))};
    };
    EXPECT_TRUE(matches(vjp(f, {upload(x)}, {upload(g)}).second[0], at_indices(x, places, g)));
  }
}

EG_TEST(PoolIndices, every_view) {
  const naive::PoolRule rule = pool_rule(2, 2, 2, 0);
  check_over_some_views(
      random_array(DType::i32, {2, 3, 8, 7}), [](const Tensor& x) { return max_pool_with_indices(x, 2).second; },
      [&](const Array& x) { return naive::max_pool_indices(x, rule); });
}

EG_TEST(PoolKernels, read_windows_in_place) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 9, 9})), narrow = x.astype(DType::f16).eval();
  const PoolOptions options{.stride = 2, .padding = 1};
  EXPECT_EQ(kernels_of(max_pool(x, 3, options)), 1);
  EXPECT_EQ(kernels_of(max_pool(relu(x), 3, options) + 1), 1);
  EXPECT_EQ(kernels_of(max_pool(narrow, 3, options)), 1);
  EXPECT_EQ(kernels_of(avg_pool(x, 3, options)), 1);
  EXPECT_EQ(kernels_of(avg_pool(x, 3, {.stride = 2, .padding = 1, .ceil_mode = true, .count_padding = false})), 1);
  EXPECT_EQ(kernels_of(lp_pool(x, 2, 3, options)), 1);
  const auto [values, places] = max_pool_with_indices(x, 3, options);
  EXPECT_LE(kernels_of({values, places}), 2);  // one where a kernel may be so long
}

/// Hundreds of KiB, of which a small window binds a part.
EG_TEST(WindowedPools, read_past_what_one_binding_holds) {
  const Array x = random_array(DType::f32, {2, 8, 80, 75});
  const naive::PoolRule rule = pool_rule(2, 3, 2, 1);
  const auto [values, places] = max_pool_with_indices(upload(x), 3, pool_options(rule));
  EXPECT_TRUE(matches(values, naive::max_pool(x, rule)));
  EXPECT_TRUE(matches(places, naive::max_pool_indices(x, rule)));
  EXPECT_TRUE(matches(avg_pool(upload(x), 3, pool_options(rule)), naive::avg_pool(x, rule), of_pooled_sums));
}

}  // namespace
}  // namespace eglantine::test
