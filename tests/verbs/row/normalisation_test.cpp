#include "eglantine/verbs/normalisation.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/random/draw.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_statistics.hpp"
#include "support/reference/special_values.hpp"

/// Layers' normalisations against their formulas in double, and that each is one kernel.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Rows, LayerNorm);
EG_ON_EACH_DEVICE(Rows, RmsNorm);
EG_ON_EACH_DEVICE(Rows, GroupNorm);
EG_ON_EACH_DEVICE(Rows, BatchNorm);
EG_ON_EACH_DEVICE(Rows, LocalResponseNorm);
EG_ON_EACH_DEVICE(Graph, NormKernels);
EG_ON_EACH_DEVICE(Windows, WindowedNorms);

constexpr Tolerance allowed{0, 1e-5, 1e-5};
using AxesList = std::vector<std::vector<int64_t>>;

double product_of(double a, double b) { return a * b; }
double plus(double a, double b) { return a + b; }

EG_TEST(LayerNorm, every_view) {
  for (const auto& axes : AxesList{{-1}, {1}, {0, 2}})
    check_over_some_views(
        random_array(DType::f32, {5, 13, 7}), [&](const Tensor& x) { return layer_norm(x, axes); },
        [&](const Array& x) { return standardized(x, axes); }, allowed);
}

EG_TEST(LayerNorm, of_all_first_and_adjacent_axes) {
  const Array x = random_reals({5, 13, 7}, -2, 2);
  Draw draw = draw_programs_one_of(2);
  for (const auto& axes : AxesList{{}, {0}, {1, 2}, {0, 1}}) {
    if (!draw.next()) continue;
    EXPECT_TRUE(matches(layer_norm(upload(x), axes), standardized(x, axes), allowed));
    EXPECT_TRUE(matches(rms_norm(upload(x), axes), over_rms(x, axes), allowed));
  }
}

EG_TEST(RmsNorm, every_view) {
  for (const auto& axes : AxesList{{-1}, {0, 2}})
    check_over_some_views(
        random_array(DType::f32, {5, 13, 7}), [&](const Tensor& x) { return rms_norm(x, axes); },
        [&](const Array& x) { return over_rms(x, axes); }, allowed);
}

EG_TEST(LayerNorm, rows_of_every_size_class) {
  Draw draw = draw_programs_one_of(3);
  for (int64_t length : {1, 2, 13, 127, 128, 1025, 16385}) {
    if (!draw.next()) continue;
    const Array x = random_reals({length < 200 ? 13 : 3, length}, -3, 5);
    EXPECT_TRUE(matches(layer_norm(upload(x), -1), standardized(x, {1}), allowed)) << length;
    EXPECT_TRUE(matches(rms_norm(upload(x), -1), over_rms(x, {1}), allowed)) << length;
    const Array columns = naive::transpose(x, 0, 1);
    EXPECT_TRUE(matches(layer_norm(upload(columns), 0), standardized(columns, {0}), allowed)) << length;
  }
}

EG_TEST(LayerNorm, far_from_zero) {
  for (double center : {1e3, -1e5, 1e6})
    for (int64_t length : {1025, 16385}) {
      const Array x = random_reals({3, length}, center - 1, center + 1);
      EXPECT_TRUE(matches(layer_norm(upload(x), 1), standardized(x, {1}), allowed)) << center << ", " << length;
      const Array columns = naive::transpose(x, 0, 1);
      EXPECT_TRUE(matches(layer_norm(upload(columns), 0), standardized(columns, {0}), allowed)) << center;
    }
  EXPECT_EQ(layer_norm(full({3, 1000}, 1e6), 1).to_vector<float>(), std::vector<float>(3000, 0));
}

EG_TEST(LayerNorm, of_rows_that_begin_with_an_outlier) {
  Draw draw = draw_programs_one_of(3);
  for (const auto& [shape, outlier] : std::vector<std::pair<Dims, double>>{
           {{3, 1025}, 1e5}, {{40, 257}, 1e7}, {{2, 16384}, 3e6}, {{64, 16400}, -3e6}, {{1, 140003}, 1e6}}) {
    if (!draw.next()) continue;
    Array x = random_reals(shape, 0, 1);
    for (int64_t row = 0; row < shape[0]; ++row) x.values[static_cast<size_t>(row * shape[1])] = outlier;
    EXPECT_TRUE(matches(layer_norm(upload(x), 1), standardized(x, {1}), allowed)) << text(shape);
    const Array columns = naive::transpose(x, 0, 1);
    EXPECT_TRUE(matches(layer_norm(upload(columns), 0), standardized(columns, {0}), allowed)) << text(shape);
  }
}

EG_TEST(LayerNorm, weight_bias_and_eps) {
  const Array x = random_reals({5, 13, 7}, -2, 2, 1), w = random_reals({13, 7}, 0, 2, 2),
              b = random_reals({13, 7}, -1, 1, 3);
  const Array scaled = naive::map(standardized(x, {1, 2}, 0.5), w, DType::f32, product_of);
  EXPECT_TRUE(matches(layer_norm(upload(x), {2, 1}, upload(w), upload(b), 0.5F),
                      naive::map(scaled, b, DType::f32, plus), allowed));
  EXPECT_TRUE(matches(layer_norm(upload(x), {-2, -1}, upload(w), {}, 0.5F), scaled, allowed));
  EXPECT_TRUE(matches(layer_norm(upload(x), {1, 2}, {}, upload(b)),
                      naive::map(standardized(x, {1, 2}), b, DType::f32, plus), allowed));
  const Array outer = random_reals({5, 7}, 0, 2, 4), spread = naive::reshape(outer, {5, 1, 7});
  EXPECT_TRUE(matches(layer_norm(upload(x), {0, 2}, upload(outer)),
                      naive::map(standardized(x, {0, 2}), spread, DType::f32, product_of), allowed));
  EXPECT_TRUE(matches(rms_norm(upload(x), {1, 2}, upload(w), 0.5F),
                      naive::map(over_rms(x, {1, 2}, 0.5), w, DType::f32, product_of), allowed));
}

EG_TEST(LayerNorm, another_eps_each_time) {
  const Array x = random_reals({13, 127}, -2, 2);
  const Tensor on_device = upload(x);
  for (float eps : {0.0F, 1e-5F, 1.0F, 100.0F})
    EXPECT_TRUE(matches(layer_norm(on_device, 1, {}, {}, eps), standardized(x, {1}, eps), allowed)) << eps;
}

EG_TEST(LayerNorm, of_integers_booleans_and_nothing) {
  for (DType dtype : {DType::i32, DType::u32, DType::boolean}) {
    const Array x = random_array(dtype, {3, 37}), w = random_array(dtype, {37}, 2);
    const Array expected = naive::map(standardized(x, {1}), w, DType::f32, product_of);
    EXPECT_TRUE(matches(layer_norm(upload(x), 1, upload(w)), expected, allowed));
  }
  EXPECT_EQ(layer_norm(Tensor(3.0F), {}).item<float>(), 0);
  EXPECT_EQ(layer_norm(zeros({0, 3}), 1).shape(), (Shape{0, 3}));
  EXPECT_EQ(layer_norm(zeros({3, 0}), 1, zeros({0})).shape(), (Shape{3, 0}));
  EXPECT_EQ(rms_norm(zeros({3, 0}), {}).shape(), (Shape{3, 0}));
}

EG_TEST(LayerNorm, special_values_stay_in_their_row) {
  for (int64_t length : {5, 1025}) {
    Array x = random_reals({4, length}, -2, 2);
    const auto n = static_cast<size_t>(length);
    x.values[n + 3] = nan;
    x.values[2 * n + 1] = infinity;
    Array expected = standardized(x, {1}), scaled = over_rms(x, {1});
    EXPECT_TRUE(matches(layer_norm(upload(x), 1), expected, allowed));
    EXPECT_TRUE(matches(rms_norm(upload(x), 1), scaled, allowed));
  }
}

EG_TEST(GroupNorm, groups_of_channels) {
  Draw draw = draw_programs_one_of(4);
  for (const Dims& shape : {Dims{3, 6, 5, 7}, Dims{2, 12}, Dims{2, 6, 130}, Dims{1, 6, 2, 1, 3, 1, 2, 2}}) {
    const Array x = random_reals(shape, -2, 3, 1), w = random_reals({shape[1]}, 0, 2, 2),
                b = random_reals({shape[1]}, -1, 1, 3);
    Dims by_channel(shape.size(), 1);
    by_channel[1] = shape[1];
    for (int64_t groups : {int64_t{1}, int64_t{3}, shape[1]}) {
      if (!draw.next()) continue;
      const Array grouped = naive::reshape(x, {shape[0], groups, count(shape) / shape[0] / groups});
      const Array rows = naive::reshape(standardized(grouped, {2}), shape);
      EXPECT_TRUE(matches(group_norm(upload(x), groups), rows, allowed)) << text(shape) << " in " << groups;
      const Array scaled = naive::map(rows, naive::reshape(w, by_channel), DType::f32, product_of);
      EXPECT_TRUE(matches(group_norm(upload(x), groups, upload(w), upload(b)),
                          naive::map(scaled, naive::reshape(b, by_channel), DType::f32, plus), allowed));
    }
  }
  EXPECT_EQ(group_norm(zeros({0, 6, 2}), 3).shape(), (Shape{0, 6, 2}));
  EXPECT_EQ(group_norm(zeros({2, 6, 0}), 3, ones({6})).shape(), (Shape{2, 6, 0}));
}

EG_TEST(GroupNorm, every_view) {
  check_over_some_views(
      random_array(DType::f32, {3, 6, 5}), [](const Tensor& x) { return group_norm(x, 2); },
      [](const Array& x) {
        return naive::reshape(standardized(naive::reshape(x, {x.shape[0], 2, 15}), {2}), x.shape);
      },
      allowed);
}

EG_TEST(BatchNorm, every_view_and_rank) {
  for (const Dims& shape : {Dims{5, 13}, Dims{3, 7, 5}, Dims{0, 3}}) {
    const Dims channels{shape[1]};
    const Array m = random_reals(channels, -1, 1, 2), v = random_reals(channels, 0, 2, 3),
                w = random_reals(channels, 0, 2, 4), b = random_reals(channels, -1, 1, 5);
    Dims by_channel(shape.size(), 1);
    by_channel[1] = shape[1];
    const auto at = [&](const Array& c) { return naive::reshape(c, by_channel); };
    const auto less = [](double a, double c) { return a - c; };
    const auto over = [](double a, double s) { return a / std::sqrt(s + 1e-5F); };
    const auto normalised = [&](const Array& x) {
      return naive::map(naive::map(x, at(m), DType::f32, less), at(v), DType::f32, over);
    };
    const auto verb = [&](const Tensor& x) { return batch_norm(x, upload(m), upload(v), upload(w), upload(b)); };
    const auto expected = [&](const Array& x) {
      return naive::map(naive::map(normalised(x), at(w), DType::f32, product_of), at(b), DType::f32, plus);
    };
    const Array plain = random_reals(shape, -2, 2);
    EXPECT_TRUE(matches(batch_norm(upload(plain), upload(m), upload(v)), normalised(plain), allowed));
    EXPECT_TRUE(matches(verb(upload(plain)), expected(plain), allowed));
    if (shape.size() == 3) check_over_some_views(plain, verb, expected, allowed);
  }
}

/// Of a transposed picture, which is normalised and stored as it lies, like that of its copy in order; gradients, too.
EG_TEST(BatchNorm, of_transposed_pictures) {
  const Array a = random_reals({37, 8, 29, 41}, -2, 2);
  const Tensor w = upload(random_reals({8}, 0, 2)), b = upload(random_reals({8}, -1, 1));
  const auto normalised = [&](const Tensor& x, const Tensor& weight) {
    const auto [mean, variance] = moments(x, {0, 2, 3});
    return batch_norm(x, mean, variance, weight, b);
  };
  const auto gradients = [&](const Tensor& x) {
    const Tensor to = upload(random_reals({37, 8, 29, 41}, -1, 1, 7));
    return grad([&](const Tensors& at) { return sum(normalised(at[0], at[1]) * to); }, {x, w});
  };
  const Tensor x = upload(a);
  const Array expected = download(normalised(x, w));
  const Tensors expected_gradients = gradients(x);
  for (const int axis : {0, 1, 2}) {
    const Tensor y = upload(naive::transpose(a, axis, 3)).transpose(axis, 3);
    EXPECT_TRUE(matches(normalised(y, w), expected, {0, 1e-5, 1e-5}));
    const Tensors found = gradients(y);
    for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(matches(found[i], download(expected_gradients[i]), {0, 1e-4, 2e-3}));
  }
}

/// PyTorch's: squares of the channels from c - size / 2 to c + (size - 1) / 2, divided by size.
Array response(const Array& x, int64_t size, double alpha, double beta, double k) {
  return generate(DType::f32, x.shape, [&](const Dims& index) {
    double squares = 0;
    for (int64_t c = 0; c < x.shape[1]; ++c) {
      if (c < index[1] - size / 2 || c > index[1] + (size - 1) / 2) continue;
      Dims at = index;
      at[1] = c;
      squares += x.at(at) * x.at(at);
    }
    return x.at(index) / std::pow(k + alpha * squares / static_cast<double>(size), beta);
  });
}

EG_TEST(LocalResponseNorm, windows_of_every_size) {
  const Array x = random_reals({2, 13, 3, 5}, -3, 3), line = random_reals({3, 7}, -3, 3);
  for (int64_t size : {1, 2, 5, 13, 40})
    EXPECT_TRUE(matches(local_response_norm(upload(x), size, 0.5F, 0.6F, 2), response(x, size, 0.5, 0.6F, 2), allowed))
        << size;
  EXPECT_TRUE(matches(local_response_norm(upload(line), 3), response(line, 3, 1e-4F, 0.75, 1), allowed));
  EXPECT_TRUE(
      matches(local_response_norm(upload(line), INT64_MAX, 1e19F), response(line, INT64_MAX, 1e19F, 0.75, 1), allowed));
  EXPECT_EQ(local_response_norm(zeros({2, 0, 3}), 3).shape(), (Shape{2, 0, 3}));
}

EG_TEST(LocalResponseNorm, every_view) {
  check_over_views(
      DType::f32, {{3, 5, 7}}, [](const Tensor& x) { return local_response_norm(x, 3, 1.0F); },
      [](const Array& x) { return response(x, 3, 1, 0.75, 1); }, allowed);
}

EG_TEST(NormKernels, each_is_one_kernel) {
  const Tensor x = upload(random_reals({13, 6, 127}, -2, 2)), w = upload(random_reals({127}, 0, 2)),
               b = upload(random_reals({127}, -1, 1)), channels = upload(random_reals({6}, 1, 2));
  if (binds_few_buffers()) return;  // several, where few buffers bind
  const Tensor layer = layer_norm(gelu(x), -1, w, b);
  EXPECT_NE(explain(layer).find("row f32 (127,) for each of (78,): gelu, "), std::string::npos) << explain(layer);
  EXPECT_EQ(kernels_of(layer), 1);
  EXPECT_EQ(kernels_of(relu(rms_norm(x, -1, w))), 1);
  EXPECT_EQ(kernels_of(layer_norm(x, {1, 2})), 1);
  EXPECT_EQ(kernels_of(layer_norm(x, 0)), 1);
  EXPECT_EQ(kernels_of(group_norm(x, 3, channels, channels)), 1);
  EXPECT_EQ(kernels_of(batch_norm(x, channels, channels, channels, channels)), 1);
  EXPECT_EQ(kernels_of(layer_norm(upload(random_reals({64, 16400}, -2, 2)), -1)), 1);
}

/// No copy of a picture whose axes cannot be one; its mean and variance are of what lies in memory.
EG_TEST(NormKernels, groups_of_flipped_pictures_are_read_as_they_lie) {
  const Array memory = random_reals({2, 3, 700, 131}, -1, 2), turned = naive::flip(memory, {3});
  const Tensor x = upload(memory).eval().flip({3});
  const Tensor result = group_norm(x, 1);
  if (!binds_few_buffers()) {
    EXPECT_EQ(explain(result).find("copy of 1 operand"), std::string::npos) << explain(result);
  }
  const Array grouped = naive::reshape(turned, {2, 1, count(memory.shape) / 2});
  EXPECT_TRUE(matches(result, naive::reshape(standardized(grouped, {2}), memory.shape), allowed));
  const Tensor small = upload(random_reals({2, 6, 5, 7}, -1, 2)).eval(), w = upload(random_reals({6}, 0, 2)),
               flipped = small.flip({2});
  EXPECT_EQ(kernels_of(group_norm(flipped, 2, w, w)), 1);
  EXPECT_TRUE(matches(group_norm(flipped, 2, w, w), download(group_norm((flipped * 1.0F).eval(), 2, w, w)), allowed));
}

/// Nothing of a picture's size is stored beside the result, also where its length gives no parts.
EG_TEST(NormKernels, groups_of_long_odd_pictures_store_their_result_alone) {
  const Array memory = random_reals({2, 70001, 5}, -1, 2);
  const Tensor x = upload(memory).eval();
  const std::string text = explain(group_norm(x, 1));
  EXPECT_EQ(text.find("map f32 (2, 350005): sub of"), std::string::npos) << text;
  const Array rows = naive::reshape(memory, {2, 1, 350005});
  EXPECT_TRUE(matches(group_norm(x, 1), naive::reshape(standardized(rows, {2}), memory.shape), allowed));
}

/// Of axes whose lengths have no parts a GPU takes those of both as one.
EG_TEST(NormKernels, groups_of_a_prime_number_of_channels_are_read_once_for_their_moments) {
  const Array memory = random_reals({3, 7369, 28}, -1, 2);
  const Tensor x = upload(memory).eval();
  for (const Tensor& y : {group_norm(x, 1), var(x, {1, 2})}) {
    const std::string text = explain(y);
    EXPECT_EQ(text.find("(14738,) for each of") != std::string::npos, plans_for_gpus(device())) << text;
  }
  const Array rows = naive::reshape(memory, {3, 1, 206332});
  EXPECT_TRUE(matches(group_norm(x, 1), naive::reshape(standardized(rows, {2}), memory.shape), allowed));
  EXPECT_TRUE(matches(var(x, {1, 2}), naive::var(memory, {1, 2}), {0, 1e-5, 0}));
}

EG_TEST(NormKernels, of_a_long_row_are_four) {
  if (binds_few_buffers()) return;  // sums of their own, where few buffers bind
  EXPECT_EQ(kernels_of(layer_norm(upload(random_reals({140003}, -2, 2)), 0)), 4);
  EXPECT_EQ(kernels_of(rms_norm(upload(random_reals({140003}, -2, 2)), 0)), 2);
}

/// About the mean is a sixteenth's; GPUs read a long row once for its mean and variance, where it has parts.
EG_TEST(NormKernels, of_a_long_row_read_it_little_more_than_twice) {
  Array x = random_reals({2, 160000}, 0, 1);
  x.values[0] = 1e6;
  const Tensor result = layer_norm(upload(x), 1);
  EXPECT_TRUE(matches(result, standardized(x, {1}), allowed));
  const std::string text = explain(layer_norm(upload(x), 1));
  EXPECT_NE(text.find("sum f32 (10000,) for each of (2,)"), std::string::npos) << text;
  const bool gpu = plans_for_gpus(device());
  EXPECT_EQ(text.find("sum f32 (160000,) for each of (2,)") == std::string::npos, gpu) << text;
  EXPECT_EQ(layer_norm(full({160000}, 0.1F) + zeros({160000}).eval(), 0).to_vector<float>(),
            std::vector<float>(160000, 0));
}

EG_TEST(WindowedNorms, have_the_same_bounds) {
  const Array x = random_reals({311, 257}, 90, 110), long_rows = random_reals({3, 16400}, 90, 110);
  for (int64_t axis : {0, 1}) {
    EXPECT_TRUE(matches(layer_norm(upload(x), axis), standardized(x, {axis}), allowed));
    EXPECT_TRUE(matches(rms_norm(upload(x), axis), over_rms(x, {axis}), allowed));
  }
  EXPECT_TRUE(matches(layer_norm(upload(long_rows), 1), standardized(long_rows, {1}), allowed));
  const Array columns = naive::transpose(long_rows, 0, 1);
  EXPECT_TRUE(matches(layer_norm(upload(columns), 0), standardized(columns, {0}), allowed));
}

}  // namespace
}  // namespace eglantine::test
