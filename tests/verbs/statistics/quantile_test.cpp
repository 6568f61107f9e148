#include "eglantine/grad.hpp"
#include "support/random/draw.hpp"
#include "support/random/random_data.hpp"
#include "verbs/statistics/statistics.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, Median);
EG_ON_EACH_DEVICE(Statistics, Quantile);
EG_ON_EACH_DEVICE(Windows, WindowedQuantile);

const Tolerance of_quantile{1, 0, 1e-7};

EG_TEST(Median, of_odd_and_even_numbers) {
  Draw draw = draw_programs_one_of(2);
  for (const Dims& shape : {Dims{}, Dims{1}, Dims{2}, Dims{13}, Dims{1024}, Dims{1025}, Dims{13, 128}, Dims{20000}}) {
    if (!draw.next()) continue;
    const Array x = random_array(DType::f32, shape);
    EXPECT_TRUE(matches(median(upload(x)), quantile_of(x, 0.5, {}))) << text(shape);
  }
}

EG_TEST(Median, over_axes_and_views) {
  const Array x = random_array(DType::f32, {5, 12, 3});
  for (const auto& axes : AxesLists{{0}, {1}, {2}, {0, 2}, {-1, 1}})
    EXPECT_TRUE(matches(median(upload(x), axes, true), quantile_of(x, 0.5, axes, true))) << text(axes);
  check_over_some_views(
      x,
      [](const Tensor& a) {
        return median(a, {0, 1});
      },
      [](const Array& a) {
        return quantile_of(a, 0.5, {0, 1});
      });
}

EG_TEST(Median, of_every_dtype) {
  for (DType dtype : wide_dtypes)
    for (int64_t length : {4, 5}) {
      if (dtype == DType::i32 && length == 5) continue;
      const Array x = random_array(dtype, {13, length});
      EXPECT_TRUE(matches(median(upload(x), 1), quantile_of(x, 0.5, {1}))) << name_of(dtype);
    }
}

EG_TEST(Median, of_two_integers_is_rounded_once) {
  std::vector<int32_t> pairs;
  for (int64_t size = 1 << 22; size <= int64_t{1} << 31; size *= 2)
    for (int64_t near : {-3, -2, -1, 0, 1, 2, 3})
      for (int64_t more : {0, 1, 2, 3, 4, 5, 129, 1023})
        for (int64_t sign : {-1, 1})
          for (int64_t one : {sign * (size + near), sign * (size + near + more)})
            pairs.push_back(static_cast<int32_t>(std::clamp<int64_t>(one, INT32_MIN, INT32_MAX)));
  for (int32_t value : {INT32_MIN, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, -1, 0})
    pairs.push_back(value);
  const auto rows = static_cast<int64_t>(pairs.size()) / 2;
  const Tensor x = Tensor::from(pairs, {rows, 2});
  Array halves{DType::f32, {rows}, {}}, of_unsigned = halves;
  const auto half = [](double a, double b) { return static_cast<double>(static_cast<float>((a + b) / 2)); };
  for (size_t i = 0; i < pairs.size(); i += 2) {
    halves.values.push_back(half(pairs[i], pairs[i + 1]));
    of_unsigned.values.push_back(half(static_cast<uint32_t>(pairs[i]), static_cast<uint32_t>(pairs[i + 1])));
  }
  EXPECT_TRUE(matches(median(x, 1), halves));
  EXPECT_TRUE(matches(median(x.astype(DType::u32), 1), of_unsigned));
  EXPECT_EQ(median(Tensor::from({33554433, 33554437}, {2})).item<float>(), 33554436);
}

EG_TEST(Median, special_values) {
  const float most = std::numeric_limits<float>::max(), low = -static_cast<float>(infinity);
  const float high = -low, none = static_cast<float>(nan);
  const auto of = [](const std::vector<float>& values) {
    return median(Tensor::from(values, {static_cast<int64_t>(values.size())})).item<float>();
  };
  EXPECT_EQ(of({most, most}), most);
  EXPECT_EQ(of({high, 1, high, 2}), high);
  EXPECT_EQ(of({high, high}), high);
  EXPECT_EQ(of({low, 1, 2, high}), 1.5F);
  EXPECT_TRUE(std::isnan(of({low, high})));
  EXPECT_TRUE(std::isnan(of({1, none, 2})));
  EXPECT_TRUE(std::isnan(of({none})));
  EXPECT_TRUE(matches(median(zeros({0, 3}), 1), Array{DType::f32, {0}, {}}));
}

EG_TEST(Quantile, of_many_shares) {
  const Array x = random_reals({13, 37}, -10, 10);
  Draw draw = draw_programs_one_of(3);
  for (double q : {0.0, 0.01, 0.25, 1.0 / 3, 0.5, 0.77, 0.999, 1.0})
    for (const auto& axes : AxesLists{{}, {1}}) {
      if (!draw.next()) continue;
      EXPECT_TRUE(matches(quantile(upload(x), q, axes, true), quantile_of(x, q, axes, true), {1, 0, 1e-6})) << q;
    }
}

EG_TEST(Quantile, over_views_and_dtypes) {
  check_over_some_views(
      random_array(DType::f32, {5, 12, 3}),
      [](const Tensor& x) {
        return quantile(x, 0.3, {2, 0});
      },
      [](const Array& x) {
        return quantile_of(x, 0.3, {2, 0});
      },
      of_quantile);
  for (DType dtype : wide_dtypes) {
    const Array x = random_array(dtype, {13, 6});
    for (double q : {0.0, 0.3, 1.0})
      EXPECT_TRUE(matches(quantile(upload(x), q, 1), quantile_of(x, q, {1}), {1, 0, 1e-6})) << name_of(dtype);
  }
}

/// One after the other, as a plan that is known for one share is not that of another. With zeros of both signs, and NaN
/// in one row.
EG_TEST(Quantile, of_long_rows) {
  Array x = random_reals({3, 30000}, -10, 10);
  for (size_t i = 0; i < 20000; ++i) x.values[30000 + i] = i % 2 == 0 ? 0.0 : -0.0;
  x.values[70000] = nan;
  for (double q : {0.1, 0.25, 0.5, 0.9}) {
    EXPECT_TRUE(matches(quantile(upload(x), q, 1), quantile_of(x, q, {1}), {1, 0, 1e-6})) << q;
    EXPECT_TRUE(matches(quantile(upload(x), q, 0), quantile_of(x, q, {0}), {1, 0, 1e-6})) << q;
  }
}

/// Rows longer than a window, and rows of fewer columns than rows, where blocks are small.
EG_TEST(WindowedQuantile, of_rows_of_several_windows) {
  Draw draw = draw_programs_one_of(2);
  for (DType dtype : wide_dtypes) {
    if (!draw.next()) continue;
    const Array x = random_array(dtype, {3, 50021});
    EXPECT_TRUE(matches(quantile(upload(x), 0.37, 1), quantile_of(x, 0.37, {1}), {1, 0, 1e-6})) << name_of(dtype);
    EXPECT_TRUE(matches(median(upload(x).flip({1}), 1), quantile_of(x, 0.5, {1}), {1, 0, 1e-6})) << name_of(dtype);
  }
  const Array a = random_array(DType::i32, {3, 50021}, 1), b = random_array(DType::i32, {3, 50021}, 2);
  const Array greatest = naive::map(a, b, DType::i32, [](double v, double w) { return std::max(v, w); });
  EXPECT_TRUE(matches(median(maximum(upload(a), upload(b)), 1), quantile_of(greatest, 0.5, {1})));
  const Array x = random_reals({17001, 5}, -3, 3);
  EXPECT_TRUE(matches(quantile(upload(x), 0.8, 0), quantile_of(x, 0.8, {0}), {1, 0, 1e-6}));
  EXPECT_TRUE(matches(median(upload(x).expand({3, 17001, 5}), 1).slice(0, 2), quantile_of(x, 0.5, {0}, true)));
}

/// Beside its operand a median takes the state of the counts, not another row.
EG_TEST(Median, of_long_rows_takes_little_memory) {
  const Tensor x = uniform({1 << 22}, 1).eval();
  device().trim();
  const auto held = [&] { return device().memory().live + device().memory().pooled; };
  device().synchronize();
  const int64_t before = held();
  const float middle = median(x).item<float>();
  device().synchronize();
  EXPECT_NEAR(middle, 0.5F, 1e-2F);
  EXPECT_LT(held() - before, 1 << 20);
}

EG_TEST(Median, explain_says_which_places_are_read) {
  const std::string text = explain(median(upload(random_array(DType::f32, {20000}))));
  EXPECT_NE(text.find("sort f32 (20000,) for each of (): copy of 1 operand, keys at 9999, 10000, 19999"),
            std::string::npos)
      << text.substr(0, 300);
}

/// Rows of random numbers, and of few different ones: equal elements are those of the first places in their order.
Array long_rows(int64_t length) {
  Array x = random_reals({3, length}, -3, 3);
  for (auto i = static_cast<size_t>(2 * length); i < x.values.size(); ++i) x.values[i] = std::round(x.values[i]);
  return x;
}

/// The derivatives of rows' quantiles: their elements' weights.
Array quantile_weights(const Array& x, double q) {
  const int64_t length = x.shape.back();
  const double place = q * static_cast<double>(length - 1), low = std::floor(place), share = place - low;
  const Array places = naive::sort(x).places;
  Array weights{DType::f32, x.shape, std::vector<double>(x.values.size())};
  for (int64_t row = 0; row < x.size() / length; ++row) {
    const int64_t first = row * length, at = first + static_cast<int64_t>(low);
    const auto weight_at = [&](int64_t i) -> double& {
      return weights.values[static_cast<size_t>(first) + static_cast<size_t>(places.values[static_cast<size_t>(i)])];
    };
    weight_at(at) += 1 - share;
    if (share > 0) weight_at(at + 1) += share;
  }
  return weights;
}

const Tolerance of_weights{1, 0, 1e-6};

/// One or two places, of which the last of a row may be one.
EG_TEST(Quantile, of_long_rows_has_a_derivative) {
  const Array x = long_rows(16385);
  for (const double q : {0.25, 0.3, 1 - 0.25 / 16384}) {
    const Tensor g = grad([=](const Tensors& y) { return sum(quantile(y[0], q, 1)); }, {upload(x)})[0];
    EXPECT_TRUE(matches(g, quantile_weights(x, q), of_weights)) << q;
  }
}

EG_TEST(Median, of_long_rows_has_derivatives) {
  const auto squares = [](const Tensors& y) { return sum(square(median(y[0], 1))); };
  for (const int64_t length : {16385, 16386}) {
    const Array x = long_rows(length), weights = quantile_weights(x, 0.5);
    const Tensor g = grad([](const Tensors& y) { return sum(median(y[0], 1)); }, {upload(x)})[0];
    EXPECT_TRUE(matches(g, weights, of_weights)) << length;
    const Tensor second = grad([&](const Tensors& y) { return sum(grad(squares, y)[0]); }, {upload(x)})[0];
    const Array doubled = naive::map(weights, DType::f32, [](double v) { return 2 * v; });
    EXPECT_TRUE(matches(second, doubled, of_weights)) << length;
  }
}

/// Of each slice, and of all slices.
EG_TEST(Median, of_long_rows_of_slices_has_a_derivative) {
  const Array x = long_rows(16386), weights = quantile_weights(x, 0.5);
  const auto middle = [](const Tensors& y) { return median(y[0]); };
  const auto of_each = vmap([&](const Tensors& y) { return grad(middle, y); }, {0});
  EXPECT_TRUE(matches(of_each({upload(x)})[0], weights, of_weights));
  const auto of_slices = vmap([&](const Tensors& y) { return Tensors{middle(y)}; }, {0});
  const Tensor of_all = grad([&](const Tensors& y) { return sum(of_slices(y)[0]); }, {upload(x)})[0];
  EXPECT_TRUE(matches(of_all, weights, of_weights));
}

/// All slices together, and each again when it is another's plan that is replayed.
EG_TEST(Median, of_long_rows_of_slices) {
  const Array x = random_reals({3, 20000}, -3, 3);
  const auto of_slices = vmap([](const Tensors& y) { return Tensors{median(y[0])}; }, {0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(matches(of_slices({upload(x)})[0], quantile_of(x, 0.5, {1}), {1, 0, 1e-6}));
}

/// Of what is computed, lies across, is narrow or of few different values.
EG_TEST(Median, of_long_rows_of_expressions) {
  const Array x = random_reals({20001, 2}, -3, 3);
  const Array squares = naive::map(x, DType::f32, [](double v) { return v * v; });
  const Tensor a = upload(x);
  EXPECT_TRUE(matches(median(a * a, 0), quantile_of(squares, 0.5, {0}), {1, 0, 1e-6}));
  EXPECT_TRUE(matches(median(a.transpose(0, 1), 1), quantile_of(x, 0.5, {0})));
  EXPECT_TRUE(matches(median(a.flip({0}).transpose(0, 1).slice(1, 3), 1),
                      quantile_of(naive::crop(x, {{0, 19998}, {0, 2}}), 0.5, {0})));
  const Tensor halves = (upload(iota(DType::f32, {2001})).reshape({2001, 1}) + zeros({1, 9})).astype(DType::f16);
  EXPECT_EQ(median(halves).item<float>(), 1000);
  EXPECT_EQ(median(full({40000}, -2, DType::i32)).item<float>(), -2);
  EXPECT_EQ(median(gt(a, 0)).item<float>(),
            quantile_of(naive::map(x, DType::f32, [](double v) { return v > 0 ? 1.0 : 0.0; }), 0.5, {}).values[0]);
}

EG_TEST(Quantile, at_a_place_is_the_element_itself) {
  const Array x = iota(DType::f32, {101});
  for (int64_t i = 0; i <= 100; i += 25)
    EXPECT_EQ(quantile(upload(x) * 0.1F, static_cast<double>(i) / 100).item<float>(), static_cast<float>(i) * 0.1F);
  EXPECT_EQ(quantile(full({7}, 0.1F), 0.37).item<float>(), 0.1F);
  EXPECT_EQ(quantile(ones({2}), 1e-300).item<float>(), 1.0F);
}

EG_TEST(Quantile, between_infinities) {
  const auto of = [](std::initializer_list<double> values, double q) {
    const Array x{DType::f32, {static_cast<int64_t>(values.size())}, values};
    return static_cast<double>(quantile(upload(x), q).item<float>());
  };
  for (double q : {0.1, 0.5, 0.9}) {
    EXPECT_EQ(of({1, infinity}, q), infinity);
    EXPECT_EQ(of({-infinity, 1}, q), -infinity);
    EXPECT_EQ(of({infinity, infinity}, q), infinity);
    EXPECT_TRUE(std::isnan(of({-infinity, infinity}, q)));
    EXPECT_NEAR(of({-3e38, 3e38}, q) / 3e38, 2 * q - 1, 1e-6);
  }
  EXPECT_EQ(of({1, 2, infinity}, 0.5), 2);
  for (double q : {0.0, 0.5, 1.0}) EXPECT_TRUE(std::isnan(of({1, nan, 3}, q)));
}

/// Beside a row's copies in memory: places of elements that repeat, in the middle and between, with a NaN and without.
EG_TEST(Quantile, of_repeated_elements) {
  Random random(draw_seed());
  for (int i = 0; i < 12; ++i) {
    const int64_t length = random.integer(1, 40), first = random.integer(1, 5), last = random.integer(1, 5);
    Array once = random_array(DType::f32, {1, length, 1}, random.word());
    if (i % 3 == 0) once.values[static_cast<size_t>(random.integer(0, length - 1))] = nan;
    const Tensor x = upload(once).expand({first, length, last}), copies = upload(download(x));
    for (const Axes& axes : {Axes{}, Axes{0}, Axes{1, 2}, Axes{0, 1}, Axes{0, 2}}) {
      SCOPED_TRACE(std::to_string(first) + " x " + std::to_string(length) + " x " + std::to_string(last));
      EXPECT_TRUE(matches(median(x, axes), download(median(copies, axes))));
      for (const double q : {0.0, 0.1, 0.37, 0.5, 0.99, 1.0})
        EXPECT_TRUE(matches(quantile(x, q, axes, true), download(quantile(copies, q, axes, true))));
    }
  }
}

EG_TEST(Quantile, results_without_elements) {
  EXPECT_TRUE(matches(quantile(zeros({0, 3}, DType::i32), 0.5, 1), Array{DType::f32, {0}, {}}));
  EXPECT_TRUE(matches(quantile(zeros({3, 0}), 0, 0), Array{DType::f32, {0}, {}}));
}

}  // namespace
}  // namespace eglantine::test
