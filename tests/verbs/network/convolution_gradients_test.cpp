#include "verbs/network/convolution/convolution_gradients.hpp"

#include <cmath>

#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "verbs/network/drawn_convolution.hpp"

/// The cotangents of a convolution's operands against loops, and against each other.
namespace eglantine::test {
namespace {

using verbs::conv_input_gradient;
using verbs::conv_weight_gradient;

EG_ON_EACH_DEVICE(Network, ConvolutionGradients);
EG_ON_EACH_DEVICE(Graph, ConvolutionGradientKernels);
EG_ON_EACH_DEVICE(Windows, WindowedConvolutionGradients);

/// Of sums of a few hundred products of numbers below 2.
constexpr Tolerance of_gradient_sums{0, 1e-4, 1e-5};

/// Cotangents of a convolution's results.
Array cotangents(const Array& x, const Array& w, const naive::ConvRule& rule, uint64_t seed) {
  Dims shape{x.shape[0], w.shape[0]};
  for (size_t k = 0; k < rule.stride.size(); ++k)
    shape.push_back(naive::places_along(rule, k, x.shape[k + 2], w.shape[k + 2]));
  return random_array(x.dtype, shape, seed);
}

Array input_gradient(const Array& g, const Array& w, const naive::ConvRule& rule, const Dims& x) {
  return naive::conv_transpose(g, w, rule, {x.begin() + 2, x.end()});
}

void expect_gradients(const Array& x, const Array& w, const naive::ConvRule& rule, const Tolerance& tolerance) {
  const Array g = cotangents(x, w, rule, 3);
  const ConvOptions options = options_of(rule);
  EXPECT_TRUE(matches(conv_input_gradient(upload(g), upload(w), x.shape, options), input_gradient(g, w, rule, x.shape),
                      tolerance));
  EXPECT_TRUE(matches(conv_weight_gradient(upload(g), upload(x), w.shape, options),
                      naive::conv_weight_gradient(g, x, rule, w.shape), tolerance));
}

EG_TEST(ConvolutionGradients, drawn_strides_pads_dilations_and_groups) {
  Draw draw = draw_programs_one_of(20);
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_convolution(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    expect_gradients(x, w, rule, of_gradient_sums);
  }
}

/// Few rows and few columns a group, of which a tile would be mostly empty.
EG_TEST(ConvolutionGradients, drawn_groups_of_several_channels) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 1; seed <= 36; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_groups(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    expect_gradients(x, w, rule, {0, 2e-3, 1e-4});
  }
}

/// <conv(x, w), g> = <x, its cotangent> = <w, its cotangent>, with sums in double.
EG_TEST(ConvolutionGradients, are_adjoint_to_the_convolution) {
  const auto dot = [](const Array& a, const Array& b) {
    double sum = 0;
    for (size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
    return sum;
  };
  Draw draw = draw_programs_one_of(10);
  for (uint64_t seed = 200; seed <= 230; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_convolution(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    const ConvOptions options = options_of(rule);
    const Array y = download(conv(upload(x), upload(w), options)), g = cotangents(x, w, rule, 3);
    const double whole = dot(y, g), bound = 1e-5 * static_cast<double>(y.size()) * 4 * static_cast<double>(w.size());
    EXPECT_NEAR(dot(x, download(conv_input_gradient(upload(g), upload(w), x.shape, options))), whole, bound);
    EXPECT_NEAR(dot(w, download(conv_weight_gradient(upload(g), upload(x), w.shape, options))), whole, bound);
  }
}

/// More steps than a tile on the CPU has, and results for several of them; of groups and of a channel each, too.
EG_TEST(ConvolutionGradients, of_long_sums) {
  const Tolerance of_long_sums{0, 2e-2, 1e-4};
  expect_gradients(random_array(DType::f32, {3, 3, 50, 45}), random_array(DType::f32, {5, 3, 3, 3}, 2),
                   rule_of(2, 1, 1), of_long_sums);
  expect_gradients(random_array(DType::f32, {2, 4, 2500}), random_array(DType::f32, {6, 2, 2}, 2),
                   rule_of(1, 2, 0, 1, 2), of_long_sums);
  expect_gradients(random_array(DType::f32, {2, 4, 50, 60}), random_array(DType::f32, {4, 1, 3, 3}, 2),
                   rule_of(2, 2, 1, 1, 4), of_long_sums);
  // Channels enough for GPUs to take all places of a kernel at once.
  expect_gradients(random_array(DType::f32, {2, 16, 20, 24}), random_array(DType::f32, {16, 1, 3, 3}, 2),
                   rule_of(2, 1, 1, 1, 16), of_long_sums);
  // Each pair of a group's results and channels.
  expect_gradients(random_array(DType::f32, {3, 12, 41, 39}), random_array(DType::f32, {8, 3, 3, 3}, 2),
                   rule_of(2, 1, 1, 1, 4), of_long_sums);
  expect_gradients(random_array(DType::f32, {2, 12, 999}), random_array(DType::f32, {6, 4, 5}, 2),
                   rule_of(1, 1, 2, 1, 3), of_long_sums);
}

EG_TEST(ConvolutionGradients, of_integers_are_exact) {
  for (const uint64_t seed : {4, 5}) {
    const auto [x, w, bias, rule] = drawn_convolution(seed, DType::i32);
    expect_gradients(x, w, rule, exact);
  }
}

EG_TEST(ConvolutionGradients, of_narrow_floats_round_once) {
  const naive::ConvRule rule = rule_of(2, 2, 1);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    SCOPED_TRACE(name_of(dtype));
    const Array x = random_array(dtype, {2, 3, 6, 7}), w = random_array(dtype, {4, 3, 3, 3}, 2),
                g = cotangents(x, w, rule, 3);
    const auto wide = [](const Array& a) { return upload(a).astype(DType::f32); };
    const Tensor of_x = conv_input_gradient(upload(g), upload(w), x.shape, options_of(rule)),
                 of_w = conv_weight_gradient(upload(g), upload(x), w.shape, options_of(rule));
    EXPECT_EQ(of_x.dtype(), dtype);
    EXPECT_EQ(of_w.dtype(), dtype);
    EXPECT_TRUE(array_equal(of_x, conv_input_gradient(wide(g), wide(w), x.shape, options_of(rule)).astype(dtype)));
    EXPECT_TRUE(array_equal(of_w, conv_weight_gradient(wide(g), wide(x), w.shape, options_of(rule)).astype(dtype)));
  }
}

EG_TEST(ConvolutionGradients, every_view) {
  const naive::ConvRule rule = rule_of(2, 2, 1);
  const ConvOptions options = options_of(rule);
  const Array x = random_array(DType::f32, {2, 3, 9, 7}), w = random_array(DType::f32, {5, 3, 3, 2}, 2),
              g = cotangents(x, w, rule, 3);
  check_over_some_views(
      g, [&](const Tensor& t) { return conv_input_gradient(t, upload(w), x.shape, options); },
      [&](const Array& t) { return input_gradient(t, w, rule, x.shape); }, of_gradient_sums);
  check_over_some_views(
      g, [&](const Tensor& t) { return conv_weight_gradient(t, upload(x), w.shape, options); },
      [&](const Array& t) { return naive::conv_weight_gradient(t, x, rule, w.shape); }, of_gradient_sums);
  check_over_some_views(
      x, [&](const Tensor& t) { return conv_weight_gradient(upload(g), t, w.shape, options); },
      [&](const Array& t) { return naive::conv_weight_gradient(g, t, rule, w.shape); }, of_gradient_sums);
}

EG_TEST(ConvolutionGradients, of_same_padding) {
  const Array x = random_array(DType::f32, {1, 2, 5}), w = random_array(DType::f32, {2, 2, 4}, 2);
  const naive::ConvRule rule{{2}, {1}, {{1, 2}}};
  const ConvOptions options{.stride = 2, .padding = Padding::same};
  const Array g = cotangents(x, w, rule, 3);
  EXPECT_TRUE(matches(conv_input_gradient(upload(g), upload(w), x.shape, options), input_gradient(g, w, rule, x.shape),
                      of_gradient_sums));
  EXPECT_TRUE(matches(conv_weight_gradient(upload(g), upload(x), w.shape, options),
                      naive::conv_weight_gradient(g, x, rule, w.shape), of_gradient_sums));
}

EG_TEST(ConvolutionGradients, without_n_and_without_elements) {
  const Tensor g = upload(random_array(DType::f32, {4, 3, 5})), x = upload(random_array(DType::f32, {2, 5, 7}, 2)),
               w = upload(random_array(DType::f32, {4, 2, 3, 3}, 3));
  EXPECT_TRUE(array_equal(conv_input_gradient(g, w, x.shape(), {}),
                          conv_input_gradient(g.unsqueeze(0), w, {1, 2, 5, 7}, {}).squeeze({0})));
  EXPECT_TRUE(array_equal(conv_weight_gradient(g, x, w.shape(), {}),
                          conv_weight_gradient(g.unsqueeze(0), x.unsqueeze(0), w.shape(), {})));
  const Tensor none = conv_weight_gradient(zeros({0, 4, 3, 5}), zeros({0, 2, 5, 7}), w.shape(), {});
  EXPECT_TRUE(array_equal(none, zeros(w.shape())));
  EXPECT_EQ(conv_input_gradient(zeros({0, 4, 3, 5}), w, {0, 2, 5, 7}, {}).shape(), (Shape{0, 2, 5, 7}));
  EXPECT_EQ(conv_weight_gradient(zeros({1, 4, 3, 5}), zeros({1, 0, 5, 7}), {4, 0, 3, 3}, {}).shape(),
            (Shape{4, 0, 3, 3}));
}

EG_TEST(ConvolutionGradients, repeat_their_bits) {
  const Tensor g = upload(random_array(DType::f32, {2, 4, 60, 61})),
               x = upload(random_array(DType::f32, {2, 3, 62, 63}, 2));
  const Tensor once = conv_weight_gradient(g, x, {4, 3, 3, 3}, {}).eval();
  EXPECT_TRUE(array_equal(once, conv_weight_gradient(g, x, {4, 3, 3, 3}, {}).eval()));
}

EG_TEST(ConvolutionGradientKernels, read_windows_in_place) {
  const Tensor g = upload(random_array(DType::f32, {2, 6, 5, 5})),
               x = upload(random_array(DType::f32, {2, 4, 9, 9}, 2));
  const ConvOptions options{.stride = 2, .padding = 1};
  EXPECT_EQ(kernels_of(conv_weight_gradient(g, x, {6, 4, 3, 3}, options)), 1);
  EXPECT_EQ(kernels_of(conv_weight_gradient(g, x, {6, 2, 3, 3}, {.stride = 2, .padding = 1, .groups = 2})), 1);
  EXPECT_EQ(
      kernels_of(conv_weight_gradient(g.slice(1, 0, 4), x, {4, 1, 3, 3}, {.stride = 2, .padding = 1, .groups = 4})), 1);
}

/// Hundreds of KiB, of which a small window binds a part.
EG_TEST(WindowedConvolutionGradients, read_past_what_one_binding_holds) {
  const Tolerance of_long_sums{0, 2e-2, 1e-4};
  expect_gradients(random_array(DType::f32, {4, 3, 70, 75}), random_array(DType::f32, {5, 3, 3, 3}, 2),
                   rule_of(2, 1, 1), of_long_sums);
  expect_gradients(random_array(DType::f32, {2, 4, 90, 95}), random_array(DType::f32, {4, 1, 3, 3}, 2),
                   rule_of(2, 2, 1, 1, 4), of_long_sums);
  expect_gradients(random_array(DType::f32, {2, 16, 45, 48}), random_array(DType::f32, {16, 1, 3, 3}, 2),
                   rule_of(2, 1, 1, 1, 16), of_long_sums);
}

}  // namespace
}  // namespace eglantine::test
