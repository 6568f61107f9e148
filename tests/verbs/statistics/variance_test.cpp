#include "eglantine/profile.hpp"
#include "support/plans_for_gpus.hpp"
#include "verbs/statistics/statistics.hpp"

namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Statistics, Stddev);
EG_ON_EACH_DEVICE(Rows, Moments);

const Tolerance of_variance{0, 1e-5, 1e-6};

/// The variance with the divisor n - correction, by the definition.
Array variance(const Array& x, const std::vector<int64_t>& axes, bool keepdims, double correction) {
  return naive::reduce(x, axes, keepdims, DType::f32, [=](const Elements& e) {
    double total = 0, squares = 0;
    for (double v : e) total += v;
    for (double v : e)
      squares += (v - total / static_cast<double>(e.size())) * (v - total / static_cast<double>(e.size()));
    return squares / std::max(static_cast<double>(e.size()) - correction, 0.0);
  });
}

Array deviation(const Array& x, const std::vector<int64_t>& axes, bool keepdims, double correction) {
  return naive::map(variance(x, axes, keepdims, correction), DType::f32, [](double v) { return std::sqrt(v); });
}

void expect_moments(const Array& x, const std::vector<int64_t>& axes, bool keepdims = false) {
  SCOPED_TRACE(text(x.shape) + " over " + text(axes));
  const auto [mean, variance] = moments(upload(x), axes, keepdims);
  EXPECT_TRUE(matches(mean, naive::mean(x, axes, keepdims), {0, 1e-5, 1e-6}));
  EXPECT_TRUE(matches(variance, naive::var(x, axes, keepdims), of_variance));
}

EG_TEST(Stddev, over_views) {
  check_over_some_views(
      random_array(DType::f32, {5, 13, 37}),
      [](const Tensor& x) {
        return stddev(x, {0, 2}, true);
      },
      [](const Array& x) {
        return deviation(x, {0, 2}, true, 0);
      },
      of_variance);
}

EG_TEST(Stddev, of_every_dtype) {
  for (DType dtype : wide_dtypes) {
    const Array x = random_array(dtype, {13, 5});
    EXPECT_TRUE(matches(stddev(upload(x), 1), deviation(x, {1}, false, 0), of_variance)) << name_of(dtype);
  }
}

EG_TEST(Stddev, with_a_correction) {
  const Array x = random_reals({13, 127}, -4, 4);
  for (double correction : {1.0, 1.5, -3.0, 126.0}) {
    EXPECT_TRUE(matches(var(upload(x), 1, false, correction), variance(x, {1}, false, correction), of_variance));
    EXPECT_TRUE(matches(stddev(upload(x), 1, false, correction), deviation(x, {1}, false, correction), of_variance));
    EXPECT_TRUE(matches(stddev(upload(x), 0, true, correction), deviation(x, {0}, true, correction), of_variance));
  }
}

EG_TEST(Stddev, divides_by_zero_where_the_correction_leaves_nothing) {
  for (double correction : {3.0, 4.0, 1e300})
    EXPECT_TRUE(matches(stddev(Tensor::from({1.0F, 2.0F, 4.0F, 5.0F, 5.0F, 5.0F}, {2, 3}), 1, false, correction),
                        Array{DType::f32, {2}, {infinity, nan}}));
  EXPECT_TRUE(matches(stddev(Tensor::from({7.0F}, {1}), {}, false, 1), Array{DType::f32, {}, {nan}}));
}

EG_TEST(Stddev, is_one_kernel) {
  EXPECT_EQ(kernels_of(stddev(upload(random_reals({13, 127}, -4, 4)), 1, false, 1)), 1);
}

/// x is read once, in whatever order the results are asked for and whatever is made of them.
EG_TEST(Moments, are_one_reading_of_rows) {
  const Tensor x = upload(random_reals({13, 127}, -4, 4)).eval();
  const auto readings = [&](const std::vector<Tensor>& results) {
    Profile profile;
    eval(results);
    int64_t count = 0;
    for (const ProfiledKernel& each : profile.stop().kernels)
      if (each.kernel.find("127") != std::string::npos) count += each.runs;
    return count;
  };
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Tensor of = x.astype(dtype).eval();
    const auto [mean, variance] = moments(of, 1);
    EXPECT_EQ(readings({mean, variance}), 1);
    const auto [again, squares] = moments(of, 1);
    EXPECT_EQ(readings({squares * 3, again * 2}), 1);
    const auto [first, second] = moments(of, 1);
    EXPECT_EQ(readings({first * 2, second * 3}), 1);
  }
}

EG_TEST(Stddev, of_scalars_and_of_results_without_elements) {
  EXPECT_TRUE(matches(stddev(Tensor(3.0F)), Array{DType::f32, {}, {0}}));
  EXPECT_TRUE(matches(stddev(ones({0, 3}), 1), Array{DType::f32, {0}, {}}));
}

EG_TEST(Moments, of_every_shape) {
  for (const Dims& shape : {Dims{}, Dims{1}, Dims{13}, Dims{1025, 3}, Dims{5, 13, 3}})
    for (bool keepdims : {false, true}) expect_moments(random_array(DType::f32, shape), {}, keepdims);
  for (const auto& axes : AxesLists{{0}, {1}, {0, 2}}) expect_moments(random_array(DType::f32, {5, 130, 3}), axes);
  expect_moments(random_array(DType::i32, {13, 5}), {0});
}

EG_TEST(Moments, over_views) {
  const auto first = [](const Tensor& x) { return moments(x, 1).first; };
  const auto both = [](const Tensor& x) {
    const auto [mean, variance] = moments(x, 1);
    return mean + variance;
  };
  const Array x = random_array(DType::f32, {5, 37, 3});
  check_over_some_views(x, first, [](const Array& a) { return naive::mean(a, {1}); }, {0, 1e-6, 1e-6});
  check_over_some_views(x, both,
                        [](const Array& a) {
                          return naive::map(naive::mean(a, {1}), naive::var(a, {1}), DType::f32,
                                            [](double m, double v) { return m + v; });
                        },
                        {0, 1e-5, 1e-5});
}

EG_TEST(Moments, read_rows_once) {
  const auto both = [](const Array& x, const Axes& axes) {
    const auto [mean, variance] = moments(upload(x), axes);
    const int64_t before = statistics(mean.device()).kernels;
    eval({mean, variance});
    return statistics(mean.device()).kernels - before;
  };
  EXPECT_EQ(both(random_reals({13, 127}, -4, 4), 1), 1);
  EXPECT_EQ(both(random_reals({13, 127}, -4, 4), 0), 1);
  // Parts, then what they are together.
  EXPECT_EQ(both(random_reals({40000}, -4, 4), 0), 2);
}

EG_TEST(Moments, a_mean_and_a_variance_of_long_columns_read_them_once) {
  const Array x = random_reals({40000, 6}, -4, 4);
  const Array expected = naive::map(naive::mean(x, {0}, true), naive::var(x, {0}, true), DType::f32,
                                    [](double m, double v) { return m / std::sqrt(v); });
  for (const bool variance_first : {false, true}) {
    const Tensor at = upload(x);
    const Tensor first = variance_first ? var(at, 0, true) : mean(at, 0, true);
    const Tensor second = variance_first ? mean(at, 0, true) : var(at, 0, true);
    const Tensor result = variance_first ? second / sqrt(first) : first / sqrt(second);
    const int64_t before = statistics(at.device()).kernels;
    EXPECT_TRUE(matches(result, expected, {0, 2e-5, 2e-5}));
    // Parts, and what they are together, with the quotient where parts are short; where a mean is not in parts, its
    // sum.
    EXPECT_EQ(statistics(at.device()).kernels - before, plans_for_gpus(at.device()) ? 2 : 3);
  }
  // Of other rows, or alone, nothing is taken for it.
  const Tensor other = upload(random_reals({40000, 6}, 3, 5)), at = upload(x);
  const Tensor of_other = mean(other, 0), of_x = mean(at, 0);
  EXPECT_TRUE(matches(of_x, naive::mean(x, {0}), {0, 1e-6, 1e-6}));
  EXPECT_TRUE(matches(mean(at.reshape({10000, 4, 6}), {0, 1}), naive::mean(x, {0}), {0, 1e-6, 1e-6}));
  EXPECT_GT(max(of_other - of_x).item<float>(), 2.0F);
}

/// Where the elements lie in parts that a kernel takes whole, and a rest of few, a kernel of the parts reads them.
void expect_one_reading(const Tensor& variance, int64_t elements) {
  const std::string text = explain(variance), parts = "row f32 of each row, (";
  int64_t read = 0, kernels = 0;
  for (size_t at = text.find(parts); at != std::string::npos; at = text.find(parts, at + 1)) {
    int64_t here = 1;
    for (size_t digit = at + parts.size(); digit < text.size() && text[digit] != ':'; ++digit)
      if (std::isdigit(static_cast<unsigned char>(text[digit])) != 0) {
        size_t length = 0;
        here *= std::stoll(text.substr(digit), &length);
        digit += length - 1;
      }
    read += here;
    ++kernels;
  }
  EXPECT_EQ(text.find("reduce "), std::string::npos) << text;
  EXPECT_LE(kernels, 4) << text;
  EXPECT_GE(read, elements) << text;
  EXPECT_LE(read, elements + elements / 32) << text;
}

/// Of so many elements that GPUs read them once in the order of memory, from a whole vector on.
EG_TEST(Moments, of_many_elements_in_every_order) {
  const int64_t size = 2 * 1000 * 8389;
  const Tensor line = (normal({size + 1}, 7) * 2.0F + 3.0F).eval(), x = line.slice(0, 0, size).reshape({2, 1000, 8389});
  const std::vector<float> values = line.to_vector<float>();
  const auto expected = [](std::span<const float> of) {
    double sum = 0, squares = 0;
    for (const float value : of) sum += value;
    const double mean = sum / static_cast<double>(of.size());
    for (const float value : of) squares += (value - mean) * (value - mean);
    return std::pair(mean, squares / static_cast<double>(of.size()));
  };
  const auto check = [&](const Tensor& each, const std::pair<double, double>& of_each) {
    const auto [mean, variance] = moments(each);
    EXPECT_NEAR(mean.item<float>(), of_each.first, 1e-5);
    EXPECT_NEAR(variance.item<float>(), of_each.second, 1e-4);
    EXPECT_NEAR(stddev(each).item<float>(), std::sqrt(of_each.second), 1e-4);
    const DeviceInfo& device = each.device().info();
    if (device.kind == "cpu" || device.software) return;
    expect_one_reading(var(each), size);
  };
  const auto of_x = expected(std::span(values).first(size));
  for (const Tensor& each : {x.permute({0, 2, 1}), x.permute({2, 1, 0}), x.flip({0, 2})}) check(each, of_x);
  check(line.slice(0, 1).reshape({1000, 8389, 2}), expected(std::span(values).subspan(1)));
  const Tensor gaps = x.slice(2, 0, 8388).permute({2, 0, 1});
  EXPECT_NEAR(var(gaps).item<float>(), var((gaps + 0.0F).eval()).item<float>(), 1e-4);
}

/// No divisor of so many elements gives parts.
EG_TEST(Moments, of_all_elements_in_parts_and_a_little_rest) {
  const int64_t rows = 4099, columns = 1031, pitch = columns + 3;
  const Tensor memory = (normal({5200000}, 3) * 2.0F + 30.0F).eval();
  const std::vector<float> values = memory.to_vector<float>();
  const auto check = [&](const Tensor& x, int64_t start, int64_t lines, int64_t length, int64_t apart) {
    double sum = 0, squares = 0;
    const auto each = [&](const auto& add) {
      for (int64_t i = 0; i < lines; ++i)
        for (int64_t j = 0; j < length; ++j) add(values[static_cast<size_t>(start + i * apart + j)]);
    };
    each([&](double value) { sum += value; });
    const double mean = sum / static_cast<double>(lines * length);
    each([&](double value) { squares += (value - mean) * (value - mean); });
    const double variance = squares / static_cast<double>(lines * length);
    EXPECT_NEAR(var(x).item<float>(), variance, 1e-4);
    EXPECT_NEAR(stddev(x).item<float>(), std::sqrt(variance), 5e-5);
    const auto [of_all, around] = moments(x);
    EXPECT_NEAR(of_all.item<float>(), mean, 1e-4);
    EXPECT_NEAR(around.item<float>(), variance, 1e-4);
    const DeviceInfo& device = x.device().info();
    if (device.kind != "cpu" && !device.software) expect_one_reading(var(x), x.size());
  };
  const DeviceInfo& there = memory.device().info();
  const bool is_gpu = there.kind != "cpu" && !there.software;  // others have no such parts
  for (const int64_t start : is_gpu ? std::vector<int64_t>{0, 1, 3} : std::vector<int64_t>{3}) {
    const int64_t all = (int64_t{1} << 22) + 15;
    const Tensor line = memory.slice(0, start, start + all);
    check(line, start, 1, all, 0);
    const Tensor dense = memory.slice(0, start, start + rows * columns).reshape({rows, columns});
    check(dense.transpose(0, 1), start, 1, rows * columns, 0);
    const Tensor gaps = memory.slice(0, start, start + rows * pitch).reshape({rows, pitch}).slice(1, 0, columns);
    check(gaps, start, rows, columns, pitch);
    check(gaps.transpose(0, 1).flip(0), start, rows, columns, pitch);
  }
  const Tensor short_rows = memory.slice(0, 0, 860001 * 6).reshape({860001, 6}).slice(1, 1, 6);
  check(short_rows, 1, 860001, 5, 6);
}

EG_TEST(Moments, their_kernel_is_described) {
  const Tensor variance = moments(ones({13, 127}) * 2.0F + uniform({13, 127}, 1), 1).second;
  EXPECT_NE(explain(variance).find("row f32 of each row, (127,) for each of (13,)"), std::string::npos)
      << explain(variance);
}

EG_TEST(Moments, of_long_rows_and_columns) {
  for (const Dims& shape : {Dims{140000}, Dims{140003}, Dims{2, 40000}, Dims{16, 3, 60, 40}})
    expect_moments(random_reals(shape, -1, 3), shape.size() == 4 ? Dims{0, 2, 3} : Dims{});
  expect_moments(random_reals({40000, 3}, -1, 3), {0});
}

EG_TEST(Moments, far_from_zero) {
  for (const Dims& shape : {Dims{1025}, Dims{140000}}) {
    const Array x = random_reals(shape, 1e4 - 1, 1e4 + 1);
    const auto [mean, variance] = moments(upload(x));
    EXPECT_TRUE(matches(mean, naive::mean(x, {}), {0, 1e-6, 0}));
    EXPECT_TRUE(matches(variance, naive::var(x, {}), {0, 1e-5, 1e-6 * 1e8}));
  }
  // The square of the mean is too large for a float.
  for (const Dims& shape : {Dims{41000, 3}, Dims{3, 41001}}) {
    const Array x = random_reals(shape, 2.99e19, 3.01e19);
    const Axes axes = shape[0] == 3 ? 1 : 0;
    EXPECT_TRUE(matches(var(upload(x), axes), naive::var(x, {axes[0]}), {0, 1e-4, 0}));
  }
  const auto [mean, variance] = moments(full({40000}, 1e6));
  EXPECT_EQ(mean.item<float>(), 1e6F);
  EXPECT_EQ(variance.item<float>(), 0.0F);
}

EG_TEST(Moments, specials) {
  const Tensor x =
      Tensor::from({1.0F, 2.0F, static_cast<float>(nan), 1.0F, static_cast<float>(infinity), 2.0F}, {2, 3});
  const auto [mean, variance] = moments(x, 1);
  EXPECT_TRUE(matches(mean, Array{DType::f32, {2}, {nan, infinity}}));
  EXPECT_TRUE(matches(variance, Array{DType::f32, {2}, {nan, nan}}));
  EXPECT_TRUE(matches(moments(ones({0, 3}), 1, true).second, Array{DType::f32, {0, 1}, {}}));
}

EG_TEST(Moments, either_result_alone) {
  const Array x = random_reals({13, 127}, -4, 4);
  EXPECT_TRUE(matches(moments(upload(x), 1).first, naive::mean(x, {1}), {0, 1e-5, 1e-6}));
  EXPECT_TRUE(matches(moments(upload(x), 1).second, naive::var(x, {1}), of_variance));
  // The first is read after the kernel that made both has run.
  const auto [mean, variance] = moments(upload(x), 0);
  variance.eval();
  EXPECT_TRUE(matches(mean * 2.0F, naive::map(naive::mean(x, {0}), DType::f32, [](double v) { return 2 * v; }),
                      {0, 1e-5, 1e-6}));
}

EG_TEST(Moments, beside_what_is_made_of_them) {
  const Array x = random_reals({13, 127}, -4, 4);
  const auto [mean, variance] = moments(upload(x) * 2.0F, 1, true);
  const Tensor normal = (upload(x) * 2.0F - mean) * rsqrt(variance + 1e-5F);
  EXPECT_EQ(kernels_of(normal), 2);
  const Array doubled = naive::map(x, DType::f32, [](double v) { return 2 * v; });
  const Array scale =
      naive::map(naive::var(doubled, {1}, true), DType::f32, [](double v) { return 1 / std::sqrt(v + 1e-5); });
  const Array centred =
      naive::map(doubled, naive::mean(doubled, {1}, true), DType::f32, [](double v, double m) { return v - m; });
  EXPECT_TRUE(matches(normal, naive::map(centred, scale, DType::f32, [](double v, double s) { return v * s; }),
                      {0, 1e-5, 1e-5}));
  EXPECT_TRUE(matches(variance, naive::var(doubled, {1}, true), of_variance));
}

EG_TEST(Moments, of_moments) {
  const Array x = random_reals({13, 127}, -4, 4);
  const auto [mean, variance] = moments(upload(x), 1);
  const auto [mean_of_means, variance_of_means] = moments(mean);
  const Tensor mean_of_variances = moments(variance).first;
  EXPECT_TRUE(matches(mean_of_means, naive::mean(x, {}), {0, 1e-5, 1e-6}));
  EXPECT_TRUE(matches(mean_of_variances + variance_of_means, naive::var(x, {}), {0, 1e-5, 1e-6}));
}

/// On a GPU what is a short run of each row, between those of others, is read as columns.
EG_TEST(Moments, of_short_runs_between_other_rows) {
  const Tensor x = (normal({500, 30, 94, 3}, 5) + 2.0F).eval(), apart = x.permute({2, 0, 1, 3}).reshape({94, 45000});
  const auto near = [](const Tensor& a, const Tensor& b) { return allclose(a, b.eval(), 1e-5, 1e-6); };
  EXPECT_TRUE(near(var(x, {0, 1, 3}), var(apart, 1)));
  EXPECT_TRUE(near(mean(x, {0, 1, 3}), mean(apart, 1)));
  EXPECT_TRUE(near(var(x.slice(1, 0, 1), {0, 3}), var(apart.reshape({94, 500, 90}).slice(2, 0, 3), {1, 2})));
  if (!plans_for_gpus(device())) return;
  EXPECT_NE(explain(var(x, {0, 1, 3})).find("row_strided"), std::string::npos);
}

/// On a GPU a variance of many elements and a mean that others read are of one reading.
EG_TEST(Moments, of_many_elements_whose_mean_others_read) {
  const Tensor x = (normal({64, int64_t{1} << 20}, 6) + 3.0F).eval(), rows = x.reshape({8192, 8192});
  const Tensor m = mean(x), spread = var(x), far = mean(square(x - m));
  EXPECT_TRUE(allclose(m, mean(mean(rows, 1)).eval(), 1e-5));
  EXPECT_TRUE(allclose(far, spread, 1e-5));
  if (!plans_for_gpus(device())) return;
  const Tensor y = (x + 0.5F).eval(), center = mean(y), third = mean(square(y - center)) / var(y);
  const std::string kernels = explain(third);
  EXPECT_EQ(kernels.find("(67108864,) for each of () (row tree): copy"), std::string::npos);
  EXPECT_EQ(kernels.find(" of 1 operand", kernels.find("row f32")), kernels.find(" of 1 operand"));
}

/// On a GPU what repeats is read once for a mean and a variance.
EG_TEST(Moments, of_what_repeats) {
  const Tensor x = normal({30, 1, 20}, 3).eval(), all = x.expand({30, 7, 20});
  for (const Axes& axes : {Axes{1}, Axes{0, 1}, Axes{0, 1, 2}}) {
    const Tensor stored = (all * 1.0F).eval();
    EXPECT_TRUE(allclose(mean(all, axes), mean(stored, axes).eval(), 1e-5, 1e-6)) << to_string(axes);
    EXPECT_TRUE(allclose(var(all, axes, false, 1), var(stored, axes, false, 1).eval(), 1e-5, 1e-6)) << to_string(axes);
  }
  const bool is_read_once = explain(mean(all)).find("(600,) for each of ()") != std::string::npos;
  EXPECT_EQ(is_read_once, plans_for_gpus(device()));
}

}  // namespace
}  // namespace eglantine::test
