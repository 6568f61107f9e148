#include <cmath>
#include <limits>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/special_values.hpp"

/// Row operations in one kernel: sizes, axes, fused expressions, and windows. composite_test.cpp has the same verbs
/// over every view and special values.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, RowSizes);
EG_ON_EACH_DEVICE(Rows, RowFusion);
EG_ON_EACH_DEVICE(Graph, RowKernels);  // with small windows long rows take several kernels
EG_ON_EACH_DEVICE(Rows, RowAxes);
EG_ON_EACH_DEVICE(Windows, WindowedRows);

constexpr Tolerance millionth{0, 1e-6, 1e-6};
// Shares of long rows are small, so the absolute bound is too.
constexpr Tolerance of_share{0, 4e-6, 1e-12};

Array less_logsumexp(const Array& x, int64_t axis) {
  return naive::map(x, naive::logsumexp(x, {axis}, true), DType::f32, [](double v, double l) { return v - l; });
}

Array softmax_reference(const Array& x, int64_t axis) {
  return naive::map(less_logsumexp(x, axis), DType::f32, [](double v) { return std::exp(v); });
}

void expect_rows(const Array& x, int axis) {
  SCOPED_TRACE(text(x.shape) + " over axis " + std::to_string(axis));
  const Tensor on_device = upload(x);
  EXPECT_TRUE(matches(softmax(on_device, axis), softmax_reference(x, axis), of_share));
  EXPECT_TRUE(matches(log_softmax(on_device, axis), less_logsumexp(x, axis), millionth));
  EXPECT_TRUE(matches(logsumexp(on_device, {axis}), naive::logsumexp(x, {axis}), millionth));
  EXPECT_TRUE(matches(var(on_device, {axis}, true), naive::var(x, {axis}, true), {0, 1e-5, 1e-6}));
}

EG_TEST(RowSizes, rows_at_the_edges_of_every_size_class) {
  Draw draw = draw_programs_one_of(4);
  for (int64_t length : {1, 2, 4, 5, 13, 127, 128, 129, 512, 1023, 1025, 4097, 16384, 16385})
    if (draw.next()) expect_rows(random_reals({length < 200 ? 13 : 3, length}, -10, 10), 1);
  for (int64_t length : {16386, 32769, 65536, 70001})
    if (draw.next()) expect_rows(random_reals({2, length}, -10, 10), 1);
}

EG_TEST(RowSizes, columns_of_every_length) {
  for (int64_t length : {2, 13, 128, 1025, 4097})
    expect_rows(random_reals({length, length < 200 ? 130 : 5}, -10, 10), 0);
}

EG_TEST(RowSizes, more_rows_than_a_round_of_the_device_takes) {
  expect_rows(random_reals({5003, 5}, -3, 3), 1);
  expect_rows(random_reals({7, 3001}, -3, 3), 0);
}

EG_TEST(RowSizes, rows_too_long_for_a_kernel_take_several) {
  const Array x = random_reals({140003}, -10, 10);
  expect_rows(x, 0);
  EXPECT_GT(kernels_of(logsumexp(upload(x))), 1);
}

EG_TEST(RowKernels, many_long_rows_take_one_and_a_few_several) {
  EXPECT_EQ(kernels_of(softmax(upload(random_reals({64, 33000}, -10, 10)), 1)), 1);
  EXPECT_EQ(kernels_of(softmax(upload(random_reals({3, 32768}, -10, 10)), 1)), 1);
  EXPECT_GT(kernels_of(softmax(upload(random_reals({3, 33000}, -10, 10)), 1)), 1);
}

/// On the CPU, whose buffers of longer columns pass the caches, a mean and what subtracts it are apart.
EG_TEST(RowKernels, long_columns_are_one_but_on_the_cpu) {
  const auto centred = [](const Tensor& x) { return x - mean(x, 0, true); };
  EXPECT_EQ(kernels_of(centred(upload(random_reals({1024, 300}, -1, 1)))), 1);
  EXPECT_EQ(kernels_of(centred(upload(random_reals({1025, 300}, -1, 1)))), device().info().kind == "cpu" ? 2 : 1);
}

/// Long rows are read once, in parts, for what is of a row.
EG_TEST(RowKernels, logsumexp_of_long_rows_stores_nothing_of_their_size) {
  const Tensor x = upload(random_reals({3, 60000}, -10, 10)), shift = upload(random_reals({3, 1}, -1, 1));
  EXPECT_EQ(kernels_of(logsumexp(x - shift, {1})), 2);
  EXPECT_EQ(kernels_of(cross_entropy(x, upload(Array{DType::i32, {3}, {1, 59999, 7}}))), 6);
  EXPECT_EQ(kernels_of(log_softmax(x, 1)), 3);
  EXPECT_EQ(kernels_of(softmax(x, 1)), device().info().kind == "cpu" ? 4 : 3);
}

/// On a GPU an operand that lies across the rows of another one is transposed by tiles before.
EG_TEST(RowKernels, operands_across_the_rows_of_others_are_copied) {
  const Array a = random_reals({530, 517}, -4, 4), b = random_reals({517, 530}, -4, 4, 2);
  const Array both = naive::map(a, naive::transpose(b, 0, 1), DType::f32, [](double v, double w) { return v + w; });
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  const DeviceInfo& info = device().info();
  for (const int axis : {0, 1}) {
    EXPECT_TRUE(matches(softmax(x + y, axis), softmax_reference(both, axis), of_share));
    if (info.kind == "cpu" || info.software) continue;
    const std::string kernels = explain(softmax(x + y, axis));
    EXPECT_NE(kernels.find("// map_transpose"), std::string::npos) << axis;
    EXPECT_NE(kernels.find("// row"), std::string::npos) << axis;
    EXPECT_EQ(explain(softmax(x.slice(0, 0, 200) + y.slice(0, 0, 200), axis)).find("// map"), std::string::npos);
  }
}

/// Rows of values that no kernel keeps on the chip as columns are taken as rows.
EG_TEST(RowKernels, values_of_long_rows_across_those_of_others) {
  const Array a = random_reals({530, 517}, -4, 4), b = random_reals({517, 530}, -4, 4, 2);
  const Array turned = naive::transpose(b, 0, 1);
  const auto product = [](const Array& v, const Array& w, int axis) {
    return naive::sum(naive::map(v, w, DType::f32, [](double c, double d) { return c * d; }), {axis});
  };
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  for (const int axis : {0, 1}) {
    const Array lengths = naive::map(product(a, a, axis), product(turned, turned, axis), DType::f32,
                                     [](double v, double w) { return std::sqrt(v * w); });
    const Array expected =
        naive::map(product(a, turned, axis), lengths, DType::f32, [](double v, double w) { return v / w; });
    EXPECT_TRUE(matches(cosine_similarity(x, y, axis), expected, {0, 1e-5, 1e-6}));
    EXPECT_TRUE(matches(cosine_similarity(y, x, axis), expected, {0, 1e-5, 1e-6}));
  }
}

/// Whichever elements a kernel combines with it, and what lies behind a row.
EG_TEST(RowKernels, a_nan_is_the_largest_and_the_least_of_its_row_alone) {
  for (const auto& each : {std::pair<int64_t, int64_t>{70, 133}, {9000, 7}, {9000, 29}, {40, 1029}, {6, 40001}}) {
    const int64_t rows = each.first, length = each.second;
    for (const int axis : {0, 1}) {
      const Array x = random_reals(axis == 1 ? Dims{rows, length} : Dims{length, rows}, -4, 4);
      const auto at = [&](int64_t row, int64_t i) {
        return static_cast<size_t>(axis == 1 ? row * length + i : i * rows + row);
      };
      const float nan = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> values(x.values.begin(), x.values.end());
      values[at(1, length - 1)] = values[at(3, 0)] = values[at(rows - 1, length / 2)] = nan;
      const Tensor given = Tensor::from(values, axis == 1 ? Shape{rows, length} : Shape{length, rows}),
                   low = min(given, axis, true), high = max(given, axis, true);
      const std::vector<float> y = ((given - low) / (high - low)).to_vector<float>(),
                               least = (low * 1.0F + 0.0F * sum(given - low, axis, true)).to_vector<float>();
      for (int64_t row = 0; row < rows; ++row) {
        const bool has_nan = row == 1 || row == 3 || row == rows - 1;
        EXPECT_EQ(std::isnan(least[static_cast<size_t>(row)]), has_nan) << row;
        for (int64_t i = 0; i < length; ++i) {
          const float share = y[at(row, i)];
          ASSERT_TRUE(has_nan ? std::isnan(share) : share >= 0 && share <= 1) << row << " " << i << " " << share;
        }
      }
    }
  }
}

/// On hardware a group exchanges what lies across its rows in shared memory, and copies nothing.
EG_TEST(RowKernels, rows_in_registers_whose_operands_lie_in_any_order) {
  const Array a = random_reals({2311, 151}, -4, 4), b = random_reals({151, 2311}, -4, 4, 2);
  const Array turned = naive::transpose(b, 0, 1);
  const Tensor x = upload(a), y = upload(b).transpose(0, 1);
  const auto product = [](const Array& v, const Array& w) {
    return naive::map(v, w, DType::f32, [](double c, double d) { return c * d; });
  };
  const auto quotient = [](double v, double w) { return v / w; };
  const Array lengths = naive::map(naive::sum(product(a, a), {1}), naive::sum(product(turned, turned), {1}), DType::f32,
                                   [](double v, double w) { return std::sqrt(v * w); });
  const Array cosines = naive::map(naive::sum(product(a, turned), {1}), lengths, DType::f32, quotient);
  const Array chosen = naive::map(a, turned, DType::f32, [](double v, double w) { return v > 0 ? w : -1; });
  const Array gradient = product(turned, naive::map(a, naive::sum(product(a, turned), {1}, true), DType::f32,
                                                    [](double v, double w) { return v - w; }));
  for (const bool first : {false, true}) {
    const Tensor cosine = first ? cosine_similarity(x, y) : cosine_similarity(y, x);
    EXPECT_TRUE(matches(cosine, cosines, {0, 1e-5, 1e-6}));
    const DeviceInfo& info = device().info();
    if (info.kind != "cpu" && !info.software) {
      EXPECT_EQ(explain(first ? cosine_similarity(x, y) : cosine_similarity(y, x)).find("// map"), std::string::npos);
    }
  }
  EXPECT_TRUE(matches(softmax(where(gt(x, 0.0F), y, -1.0F), 1), softmax_reference(chosen, 1), of_share));
  EXPECT_TRUE(matches(y * (x - sum(x * y, 1, true)), gradient, {0, 1e-4, 1e-4}));
}

/// On hardware four of them are an invocation's, wherever their elements lie; some are copied side by side before.
EG_TEST(RowKernels, short_rows_lie_in_any_order) {
  const Array a = random_reals({313, 421, 3}, -4, 4), expected = softmax_reference(a, 2),
              ones = naive::map(naive::sum(a, {2}), DType::f32, [](double) { return 1.0; });
  const Tensor x = upload(a);
  for (const auto& [one, other] : {std::pair{0, 2}, {1, 2}, {0, 1}}) {
    const Tensor y = upload(naive::transpose(a, one, other)).transpose(one, other), e = exp(y - max(x, 2, true));
    EXPECT_TRUE(matches(softmax(y + 0.0F * x, 2), expected, of_share));
    EXPECT_TRUE(matches(e / sum(e, 2, true), expected, of_share));
    EXPECT_TRUE(matches(cosine_similarity(x, y, 2), ones, {0, 1e-6, 1e-6}));
    EXPECT_TRUE(matches(cosine_similarity(y, x, 2), ones, {0, 1e-6, 1e-6}));
  }
}

/// On a GPU values of rows that lie across the results are computed as the rows lie, elements by tiles.
EG_TEST(RowKernels, rows_across_their_results_are_read_as_they_lie) {
  const Array stored = random_reals({1030, 1027}, -4, 4), x = naive::transpose(stored, 0, 1);
  const Tensor seen = upload(stored).transpose(0, 1);
  // In the order of its axes, whatever it is made of.
  const auto chosen = [&] { return where(gt(seen, -5.0F), seen, 0.0F); };
  const Tensor made = chosen().eval();
  const auto rescaled = [](const Tensor& at, int axis) {
    const Tensor low = min(at, axis, true);
    return (at - low) / (max(at, axis, true) - low + 1);
  };
  const DeviceInfo& info = device().info();
  for (const int axis : {0, 1}) {
    EXPECT_TRUE(matches(softmax(seen, axis), softmax_reference(x, axis), of_share));
    const auto of_both = [](double a, double b) { return a - b; };
    const Array low = naive::min(x, {axis}, true),
                range = naive::map(naive::max(x, {axis}, true), low, DType::f32, of_both);
    const Array expected = naive::map(naive::map(x, low, DType::f32, of_both), range, DType::f32,
                                      [](double a, double b) { return a / (b + 1); });
    EXPECT_TRUE(matches(rescaled(seen, axis), expected, {0, 1e-6, 1e-6}));
    // The order of a row's sum is that of how it was made.
    EXPECT_EQ(softmax(chosen(), axis).to_vector<float>(), softmax(made, axis).to_vector<float>());
    if (info.kind != "cpu" && !info.software) {
      EXPECT_NE(explain(softmax(chosen(), axis)).find("map_transpose"), std::string::npos);
      EXPECT_EQ(explain(softmax(upload(stored), axis)).find("map"), std::string::npos);
    }
  }
  const auto [means, variances] = moments(seen, {1}, true);
  const Array apart = naive::map(x, naive::mean(x, {1}, true), DType::f32, [](double a, double b) { return a - b; });
  const Array expected =
      naive::map(apart, naive::var(x, {1}, true), DType::f32, [](double a, double b) { return a / std::sqrt(b + 1); });
  EXPECT_TRUE(matches((seen - means) / sqrt(variances + 1), expected, {0, 1e-5, 1e-5}));
}

/// Of few columns GPUs take shorter parts, so that there are groups for the device.
EG_TEST(RowKernels, parts_of_few_columns_are_short) {
  const DeviceInfo& info = device().info();
  if (info.kind == "cpu" || info.software) return;
  const std::string text = explain(var(normal({16800, 24}, 1).eval(), 0));
  EXPECT_EQ(text.find("(3360,) for each of (5, 24)"), std::string::npos) << text;
}

/// Also where columns are taken as equal parts and a few rows more: infinite among those, or in a part.
EG_TEST(RowKernels, infinite_elements_of_long_columns_of_a_prime_length) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> at{inf, -inf, inf, 2e35F};
  std::vector<float> x(71471 * 61, 1);
  for (size_t c = 0; c < 3; ++c) x[(c == 2 ? 71470 : 5) * 61 + c] = at[c];
  for (size_t r = 0; r < 71471; ++r) x[r * 61 + 3] = at[3];
  const std::vector<float> means = mean(Tensor::from(x, {71471, 61}), 0).to_vector<float>();
  EXPECT_EQ(std::vector<float>(means.begin(), means.begin() + 5), (std::vector<float>{inf, -inf, inf, inf, 1}));
  for (size_t r = 0; r < 100; ++r) x[r * 61 + 4] = r % 2 == 0 ? 1e20F : -1e20F;
  EXPECT_EQ(var(Tensor::from(x, {71471, 61}), 0).slice(0, 4, 5).to_vector<float>(), std::vector<float>{inf});
}

/// On a GPU columns of a prime length are read once for their moments: in parts of equal lengths, and a few rows more.
EG_TEST(RowKernels, var_of_long_columns_of_a_prime_length_reads_them_once) {
  const DeviceInfo& info = device().info();
  if (info.kind == "cpu" || info.software) return;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{71471, 61}, {1400017, 3}}) {
    const Array x = random_reals({rows, columns}, -1, 4);
    const Tensor given = upload(x), centred = given - mean(given, 0, true);
    const std::string text = explain(centred / stddev(given, 0, true));
    size_t large = 0;
    for (size_t at = text.find("sum of the row, div (stored), sub, square, sum of the row of 1");
         at != std::string::npos;
         at = text.find("sum of the row, div (stored), sub, square, sum of the row of 1", at + 1))
      ++large;
    EXPECT_EQ(large, 1) << text;
    EXPECT_TRUE(matches(var(given, 0), naive::var(x, {0}), {0, 1e-5, 0}));
    EXPECT_TRUE(matches(mean(given, 0), naive::mean(x, {0}), {0, 1e-6, 1e-6}));
    EXPECT_LE(kernels_of(var(given.flip(0), 0)), 4);
  }
}

/// Read and written in one order, of rows and of columns.
EG_TEST(RowKernels, softmax_of_a_transposed_tensor_lies_in_the_order_of_memory) {
  const Array x = random_reals({60, 90, 70}, -3, 3);
  for (const Axes& order : {Axes{0, 2, 1}, {2, 1, 0}, {2, 0, 1}}) {
    Axes back = order;
    for (int i = 0; i < 3; ++i) back[static_cast<int>(order[i])] = i;
    const Tensor given = (upload(x).permute(order) + 0.0F).eval().permute(back);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(matches(softmax(given, axis), softmax_reference(x, axis), of_share)) << order[0] << ' ' << axis;
      EXPECT_TRUE(matches(log_softmax(given, axis), less_logsumexp(x, axis), millionth)) << order[0] << ' ' << axis;
    }
  }
  const Tensor given = upload(x).permute({0, 2, 1});
  EXPECT_TRUE(explain(softmax(given, 0)).starts_with("row f32 (60,) for each of (6300,)"))
      << explain(softmax(given, 0)).substr(0, 100);
}

/// On GPUs lanes of many short rows have up to five steps each, and what no lane has of its last step is not computed.
EG_TEST(RowKernels, short_rows_are_of_few_lanes_on_gpus) {
  if (device().info().kind == "cpu" || device().info().software) return;
  const auto text_of = [](const Shape& shape, DType dtype) {
    return explain(softmax(uniform(shape, 1).astype(dtype).eval(), 1));
  };
  const auto lanes_of = [&](const Shape& shape, DType dtype) {
    const std::string text = text_of(shape, dtype), define = "#define EG_LANES ";
    return std::stoi(text.substr(text.find(define) + define.size()));
  };
  EXPECT_EQ(lanes_of({70000, 95}, DType::bf16), 8);
  EXPECT_EQ(lanes_of({40, 95}, DType::bf16), 32);
  EXPECT_EQ(lanes_of({70000, 32}, DType::f32), 4);
  EXPECT_EQ(lanes_of({70000, 128}, DType::f32), 16);
  EXPECT_EQ(lanes_of({70000, 67}, DType::f32), 16);
  EXPECT_EQ(lanes_of({40, 67}, DType::f32), 32);
  EXPECT_NE(text_of({70000, 67}, DType::f32).find("#define EG_LAST_ELEMENTS 1\n"), std::string::npos);
  EXPECT_EQ(text_of({70000, 127}, DType::f32).find("#define EG_LAST_ELEMENTS"), std::string::npos);
}

/// Rows of every share of lanes, whole and odd, as many as make a small GPU take few lanes of each.
EG_TEST(RowKernels, many_short_rows_of_every_length) {
  for (const int64_t length : {20, 32, 49, 66, 67, 97, 100, 128, 131, 257}) {
    const Array x = random_reals({2050, length}, -3, 3);
    EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), of_share)) << length;
    EXPECT_TRUE(matches(var(upload(x), 1), naive::var(x, {1}), {0, 1e-5, 0})) << length;
  }
}

/// On GPUs a lane has a short column to itself, where columns are many, and lanes side by side access neighbours where
/// rows begin anywhere; lanes of longer ones are few.
EG_TEST(RowKernels, many_short_columns_are_of_few_lanes_on_gpus) {
  if (device().info().kind == "cpu" || device().info().software) return;
  const auto text_of = [](const Shape& shape) { return explain(softmax(uniform(shape, 1).eval(), 0)); };
  for (const int64_t columns : {300000, 300001}) {
    const std::string text = text_of({17, columns});
    EXPECT_NE(text.find("#define EG_LANES 1\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("#define EG_APART 32\n") != std::string::npos, columns % 4 != 0) << text;
    EXPECT_EQ(text.find("for (uint u = 0u"), std::string::npos) << text;
  }
  EXPECT_NE(text_of({60, 300000}).find("#define EG_LANES 8\n"), std::string::npos);
  EXPECT_EQ(text_of({17, 999}).find("#define EG_LANES 1\n"), std::string::npos) << "too few columns";
}

EG_TEST(RowKernels, many_short_columns_of_every_length) {
  for (const auto& [length, columns] : {std::pair<int64_t, int64_t>{5, 33001},
                                        {9, 8300},
                                        {17, 8197},
                                        {24, 8194},
                                        {25, 8203},
                                        {60, 5003},
                                        {130, 2051}}) {
    const Array x = random_reals({length, columns}, -3, 3);
    EXPECT_TRUE(matches(softmax(upload(x), 0), softmax_reference(x, 0), of_share)) << length;
    EXPECT_TRUE(matches(var(upload(x), 0), naive::var(x, {0}), {0, 1e-5, 0})) << length;
    const Tensor given = upload(x), flipped = given.flip(1);
    const Tensor standard = (flipped - mean(flipped, 0, true)) / stddev(flipped, 0, true);
    const Tensor same = (given - mean(given, 0, true)) / stddev(given, 0, true);
    EXPECT_TRUE(same_bits(standard.flip(1), same)) << length;
  }
}

/// A kernel takes parts of equal lengths; on a GPU one what is left, and joins them.
EG_TEST(RowKernels, var_of_a_long_row_reads_it_once) {
  const bool gpu = device().info().kind != "cpu" && !device().info().software;
  const int64_t undivided = gpu ? (int64_t{1} << 24) + 43 : 200003;
  for (const int64_t length : {int64_t{160000}, undivided}) {
    const Array x = random_reals({length}, 3, 5);
    const Array mean =
        naive::map(naive::sum(x, {0}), DType::f32, [&](double v) { return v / static_cast<double>(length); });
    const Tensor given = upload(x);
    EXPECT_TRUE(matches(var(given, {0}), naive::var(x, {0}), {0, 1e-5, 0})) << length;
    EXPECT_TRUE(matches(moments(given, {0}).first, mean, {0, 1e-6, 0})) << length;
    if (gpu || length == 160000) {
      EXPECT_EQ(kernels_of(stddev(given)), length == undivided ? 3 : 2) << length;
    }
  }
  if (gpu) {
    const Array rows_without_parts = random_reals({2396759, 7}, 3, 5);
    const Tensor given = upload(rows_without_parts);
    EXPECT_EQ(kernels_of(stddev(given)), 3);
    EXPECT_TRUE(matches(var(given), naive::var(rows_without_parts, {0, 1}), {0, 1e-5, 0}));
  }
  const Array rows = random_reals({2, 3, 70001}, -1, 7);
  EXPECT_TRUE(matches(var(upload(rows), {2}), naive::var(rows, {2}), {0, 1e-5, 0}));
  EXPECT_TRUE(matches(var(upload(rows), {0, 2}), naive::var(rows, {0, 2}), {0, 1e-5, 0}));
}

/// GPUs read so many elements once, in the order of memory, from a whole vector on.
EG_TEST(RowKernels, logsumexp_of_many_elements_in_every_order) {
  const int64_t size = 2 * 1000 * 8389;
  const Tensor line = (normal({size + 1}, 7) * 3.0F).eval(), x = line.slice(0, 0, size).reshape({2, 1000, 8389});
  const std::vector<float> values = line.to_vector<float>();
  double total = 0;
  for (int64_t i = 1; i < size; ++i) total += std::exp(static_cast<double>(values[static_cast<size_t>(i)]));
  const auto with = [&](int64_t i) {
    return std::log(total + std::exp(static_cast<double>(values[static_cast<size_t>(i)])));
  };
  for (const Tensor& each : {x, x.permute({0, 2, 1}), x.permute({2, 1, 0}), x.flip({0, 2})}) {
    EXPECT_NEAR(logsumexp(each).item<float>(), with(0), 4e-5);
    EXPECT_EQ(logsumexp(each, {}, true).shape(), Shape({1, 1, 1}));
  }
  EXPECT_NEAR(logsumexp(line.slice(0, 1)).item<float>(), with(size), 4e-5);
  const Tensor none = full({size + 1}, -infinity).eval();
  const Tensor most = where(arange(0, static_cast<double>(size + 1), 1, DType::i32) == 3, infinity, line).eval();
  EXPECT_EQ(logsumexp((none + 0.0F).eval().slice(0, 1)).item<float>(), -infinity);
  EXPECT_EQ(logsumexp(most.slice(0, 1)).item<float>(), infinity);
  const DeviceInfo& info = device().info();
  if (info.kind == "cpu" || info.software) return;
  for (const Tensor& each : {x.permute({0, 2, 1}), line.slice(0, 1).reshape({1000, 8389, 2})})
    EXPECT_NE(explain(logsumexp(each)).find("(16384,) for each of (1024,)"), std::string::npos);
}

/// Also where there are more parts than a kernel joins. Nothing runs.
EG_TEST(RowKernels, var_of_very_long_columns_reads_them_once) {
  const DeviceInfo& info = device().info();
  if (info.kind == "cpu" || info.software) return;
  for (const int64_t rows : {33814849, 4096 * 8192}) {
    const std::string text = explain(var(arange(0, 6.0 * static_cast<double>(rows), 1).reshape({rows, 6}), 0));
    EXPECT_NE(text.find("sum of the row, div (stored), sub, square, sum of the row"), std::string::npos) << text;
  }
}

/// The same of exponentials: columns of a prime length are read once for what they are relative to and their sum.
EG_TEST(RowKernels, softmax_of_long_columns_of_a_prime_length) {
  Array x = random_reals({71471, 61}, -4, 4);
  for (size_t r = 0; r < 71471; ++r) x.values[r * 61 + 7] = r == 71470 ? 0.5 : -std::numeric_limits<double>::infinity();
  const Tensor given = upload(x);
  for (const auto& of : {softmax, log_softmax}) {
    const std::string text = explain(of(given, 0));
    const DeviceInfo& info = device().info();
    EXPECT_EQ(text.find("reduce max f32 (71471,)") == std::string::npos, info.kind != "cpu" && !info.software) << text;
  }
  EXPECT_TRUE(matches(softmax(given, 0), softmax_reference(x, 0), of_share));
  EXPECT_TRUE(matches(logsumexp(given, 0), naive::logsumexp(x, {0}), millionth));
}

/// Many elements of a row of a prime length are read twice, in parts of a multiple of 8192 and what is left.
EG_TEST(RowKernels, softmax_of_a_very_long_row_of_a_prime_length) {
  const DeviceInfo& info = device().info();
  if (info.kind == "cpu" || info.software) return;
  constexpr int64_t size = 16777259;
  const Tensor x = normal({2, size}, 4).eval();
  for (const Tensor& y : {softmax(x, 1), log_softmax(x, 1)})
    EXPECT_EQ(explain(y).find("reduce max f32 (16777259,)"), std::string::npos);
  const Tensor whole = exp(x - max(x, 1, true).eval()).eval(), shares = softmax(x, 1);
  EXPECT_LT(max(abs(shares / (whole / sum(whole, 1, true)) - 1.0F)).item<float>(), 4e-6F);
}

/// Nor does a softmax: a GPU reads such a row thrice.
EG_TEST(RowKernels, softmax_of_a_long_row_of_a_prime_length) {
  const Array x = random_reals({140009}, -10, 10);
  const Tensor given = upload(x);
  const DeviceInfo& info = device().info();
  EXPECT_EQ(kernels_of(softmax(given, 0)), info.kind == "cpu" || info.software ? 4 : 3);
  EXPECT_TRUE(matches(softmax(given, 0), softmax_reference(x, 0), of_share));
}

EG_TEST(RowKernels, log_softmax_of_a_long_row_stores_only_what_is_of_a_row) {
  const Tensor x = upload(random_reals({140003}, -10, 10));
  EXPECT_EQ(kernels_of(log_softmax(x, 0)), 3);
}

EG_TEST(RowSizes, many_long_rows) {
  const Array x = random_reals({64, 33000}, -10, 10);
  EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), of_share));
  EXPECT_TRUE(matches(logsumexp(upload(x), {1}), naive::logsumexp(x, {1}), millionth));
  EXPECT_TRUE(matches(var(upload(x), {1}), naive::var(x, {1}), {0, 1e-5, 1e-6}));
}

EG_TEST(RowSizes, far_from_zero) {
  for (double center : {1e4, -1e6}) {
    const Array x = random_reals({3, 1025}, center - 1, center + 1);
    EXPECT_TRUE(matches(softmax(upload(x), 1), softmax_reference(x, 1), millionth));
    EXPECT_TRUE(matches(logsumexp(upload(x), {1}), naive::logsumexp(x, {1}), millionth));
    EXPECT_TRUE(matches(var(upload(x), {1}), naive::var(x, {1}), {0, 1e-5, 1e-6 * center * center}));
  }
  EXPECT_EQ(var(full({3, 4097}, 1e6), {1}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(var(full({4097, 3}, 1e6), {0}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

/// Of n elements a row, along each axis.
void expect_infinities_in_parts(int64_t n) {
  Array x = random_reals({5, n}, -1000, -999);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = [&](int64_t row) -> double& { return x.values[static_cast<size_t>(row * n + i)]; };
    if (i < n - 100) at(0) = -infinity;  // whole chunks of the row contribute nothing
    if (i == 1234) at(1) = infinity;
    if (i == n - 1) at(2) = nan;
    at(3) = -infinity;
  }
  for (int axis : {1, 0}) {
    const Array rows = axis == 1 ? x : naive::transpose(x, 0, 1);
    const Array y = download(softmax(upload(rows), axis)), l = download(logsumexp(upload(rows), {axis}));
    const auto of = [&](int64_t row, int64_t i) { return y.at(axis == 1 ? Dims{row, i} : Dims{i, row}); };
    EXPECT_EQ(of(0, 17), 0);
    double sum = 0;
    for (int64_t i = n - 100; i < n; ++i) sum += of(0, i);
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_TRUE(std::isnan(of(1, 1234)));
    EXPECT_EQ(of(1, 7), 0);
    for (int64_t row : {2, 3}) EXPECT_TRUE(std::isnan(of(row, 7)) && std::isnan(of(row, n - 1))) << row;
    EXPECT_EQ(l.values[1], infinity);
    EXPECT_TRUE(std::isnan(l.values[2]));
    EXPECT_EQ(l.values[3], -infinity);
    EXPECT_NEAR(l.values[4], naive::logsumexp(x, {1}).values[4], 1e-3);
  }
}

EG_TEST(RowSizes, infinities_in_parts_of_long_rows) {
  expect_infinities_in_parts(3000);
  expect_infinities_in_parts(36000);  // of which a kernel takes a third, or a tenth
}

EG_TEST(RowSizes, the_same_bits_every_time) {
  const Tensor x = upload(random_reals({37, 1025}, -10, 10));
  for (const auto& verb :
       {+[](const Tensor& a) { return softmax(a, 1); }, +[](const Tensor& a) { return var(a, {0}); }})
    EXPECT_TRUE(same_bits(verb(x), verb(x)));
}

EG_TEST(RowFusion, softmax_takes_in_what_it_is_made_of) {
  const Array x = random_reals({13, 127}, -4, 4, 1), b = random_reals({127}, -4, 4, 2);
  const Tensor result = softmax(upload(x) * 0.5F + upload(b), 1);
  EXPECT_NE(explain(result).find("row f32 (127,) for each of (13,): mul, add, max of the row, "), std::string::npos)
      << explain(result);
  EXPECT_EQ(kernels_of(result), 1);
  const Array sums = naive::map(x, b, DType::f32, [](double v, double w) { return v * 0.5 + w; });
  EXPECT_TRUE(matches(result, softmax_reference(sums, 1), millionth));
}

EG_TEST(RowFusion, what_is_made_of_a_row_is_its_kernel_too) {
  const Array x = random_reals({13, 127}, -4, 4, 1), mask = random_reals({13, 127}, 0, 1, 2);
  const Tensor result = log_softmax(exp(upload(x)), 1) * upload(mask);
  EXPECT_EQ(kernels_of(result), 1);
  const Array e = naive::map(x, DType::f32, [](double v) { return as_element(DType::f32, std::exp(v)); });
  const Array expected = naive::map(less_logsumexp(e, 1), mask, DType::f32, [](double v, double w) { return v * w; });
  EXPECT_TRUE(matches(result, expected, {0, 2e-6, 2e-6}));
}

EG_TEST(RowFusion, a_standard_deviation_is_one_kernel) {
  const Array x = random_reals({13, 127}, -4, 4), scale = random_reals({127}, 1, 2);
  for (int axis : {0, 1}) {
    const Tensor result = sqrt(var(upload(x) * upload(scale), {axis}) + 1e-5F);
    EXPECT_EQ(kernels_of(result), 1);
    const Array product = naive::map(x, scale, DType::f32, [](double v, double w) { return v * w; });
    const Array expected =
        naive::map(naive::var(product, {axis}), DType::f32, [](double v) { return std::sqrt(v + 1e-5); });
    EXPECT_TRUE(matches(result, expected, {0, 1e-5, 1e-6}));
  }
}

EG_TEST(RowFusion, a_row_read_through_views_and_by_others) {
  const Array x = random_reals({13, 37}, -4, 4);
  const Tensor y = softmax(upload(x), 1);
  const Array expected = softmax_reference(x, 1);
  EXPECT_TRUE(matches(y.transpose(0, 1).flip({0}), naive::flip(naive::transpose(expected, 0, 1), {0}), millionth));
  EXPECT_TRUE(
      matches(y + y.flip({0}),
              naive::map(expected, naive::flip(expected, {0}), DType::f32, [](double a, double b) { return a + b; }),
              {0, 2e-6, 2e-6}));
  EXPECT_TRUE(matches(logsumexp(log_softmax(upload(x), 1), {1}),
                      generate(DType::f32, {13}, [](const Dims&) { return 0; }), millionth));
}

EG_TEST(RowAxes, of_several_axes_and_in_the_middle) {
  const Array x = random_reals({3, 13, 4, 5}, -4, 4);
  Draw draw = draw_programs_one_of(2);
  for (const Dims& axes : {Dims{0, 2}, Dims{1, 2, 3}, Dims{}, Dims{0, 3}}) {
    if (!draw.next()) continue;
    EXPECT_TRUE(matches(logsumexp(upload(x), axes, true), naive::logsumexp(x, axes, true), millionth));
    EXPECT_TRUE(matches(var(upload(x), axes), naive::var(x, axes), {0, 1e-5, 1e-6}));
  }
  for (int axis : {0, 1, 2, 3}) EXPECT_TRUE(matches(softmax(upload(x), axis), softmax_reference(x, axis), millionth));
}

EG_TEST(RowAxes, of_broadcast_rows) {
  const Array x = random_reals({13, 1}, -4, 4), row = random_reals({1, 127}, -4, 4);
  const auto plus = [](double a, double b) { return a + b; };
  const Array sums = naive::map(x, row, DType::f32, plus);
  EXPECT_TRUE(matches(softmax(upload(x) + upload(row), 1), softmax_reference(sums, 1), millionth));
  EXPECT_TRUE(matches(softmax(upload(x) + upload(row), 0), softmax_reference(sums, 0), millionth));
  EXPECT_EQ(softmax(full({3, 8}, 7), 1).to_vector<float>(), std::vector<float>(24, 0.125F));
  EXPECT_EQ(var(full({3, 8}, 7), {1}).to_vector<float>(), std::vector<float>(3, 0));
}

EG_TEST(WindowedRows, contiguous_and_strided) {
  expect_rows(random_reals({311, 257}, -10, 10), 1);
  expect_rows(random_reals({311, 257}, -10, 10), 0);
  expect_rows(random_reals({37, 41, 43}, -10, 10), 1);
}

EG_TEST(WindowedRows, rows_longer_than_a_window) {
  const Array x = random_reals({5, 16400}, -10, 10);
  expect_rows(x, 1);
  expect_rows(naive::transpose(x, 0, 1), 0);
  const Tensor far = upload(random_reals({16000, 16}, -10, 10));
  EXPECT_TRUE(matches(softmax(far, 0), softmax_reference(download(far), 0), millionth));
  EXPECT_TRUE(matches(sqrt(var(far, {0})),
                      naive::map(naive::var(download(far), {0}), DType::f32, [](double v) { return std::sqrt(v); }),
                      {0, 1e-5, 1e-6}));
}

}  // namespace
}  // namespace eglantine::test
