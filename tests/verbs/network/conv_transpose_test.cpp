#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive.hpp"
#include "support/reference/naive_convolution.hpp"
#include "verbs/network/drawn_convolution.hpp"

/// Transposed convolutions against loops over what each result adds up, and how many kernels they are.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, TransposedConvolutions);
EG_ON_EACH_DEVICE(Graph, TransposedConvolutionKernels);
EG_ON_EACH_DEVICE(Windows, WindowedTransposedConvolutions);

/// Of sums of a few hundred products of numbers below 2.
constexpr Tolerance of_transposed_sums{0, 1e-4, 1e-5};

struct DrawnTransposed {
  Array x, w, bias;
  naive::ConvRule rule;
  Dims more, lengths;  ///< output_padding, and the result's lengths
};

ConvTransposeOptions transposed_options(const DrawnTransposed& drawn) {
  const naive::ConvRule& rule = drawn.rule;
  return {.stride = rule.stride,
          .padding = rule.pads,
          .dilation = rule.dilation,
          .groups = rule.groups,
          .output_padding = drawn.more};
}

/// Of 1 to 3 spatial axes, along each of which the result has an element.
DrawnTransposed drawn_transposed(uint64_t seed, DType dtype = DType::f32) {
  for (Random random(seed);;) {
    const auto axes = static_cast<size_t>(1 + seed % 3);
    const int64_t groups = random.integer(1, 3), channels = random.integer(1, 3), each = random.integer(1, 4);
    Dims x{random.integer(1, 3), groups * channels}, w{groups * channels, each}, more, lengths;
    naive::ConvRule rule{{}, {}, {}, groups};
    bool any = true;
    for (size_t k = 0; k < axes; ++k) {
      x.push_back(random.integer(1, axes == 3 ? 3 : 9));
      w.push_back(random.integer(1, axes == 3 ? 3 : 5));
      rule.stride.push_back(random.integer(1, 4));
      rule.dilation.push_back(random.integer(1, 3));
      rule.pads.emplace_back(random.integer(0, 3), random.integer(0, 3));
      more.push_back(random.integer(0, std::max(rule.stride[k], rule.dilation[k]) - 1));
      lengths.push_back((x.back() - 1) * rule.stride[k] + (w.back() - 1) * rule.dilation[k] + 1 + more.back() -
                        rule.pads[k].first - rule.pads[k].second);
      any = any && lengths.back() > 0;
    }
    if (any)
      return {random_array(dtype, x, seed),
              random_array(dtype, w, seed + 1),
              random_array(dtype, {groups * each}, seed + 2),
              rule,
              more,
              lengths};
  }
}

EG_TEST(TransposedConvolutions, drawn_strides_pads_dilations_and_groups) {
  Draw draw = draw_programs_one_of(15);
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    if (!draw.next()) continue;
    const DrawnTransposed drawn = drawn_transposed(seed);
    const auto& [x, w, bias, rule, more, lengths] = drawn;
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape) + " " + text(rule.stride) + " " +
                 text(rule.dilation));
    ConvTransposeOptions options = transposed_options(drawn);
    EXPECT_TRUE(matches(conv_transpose(upload(x), upload(w), options), naive::conv_transpose(x, w, rule, lengths),
                        of_transposed_sums));
    options.bias = upload(bias);
    EXPECT_TRUE(matches(conv_transpose(upload(x), upload(w), options), naive::conv_transpose(x, w, rule, lengths, bias),
                        of_transposed_sums));
  }
}

naive::ConvRule transposed_rule(size_t axes, int64_t stride, int64_t pad, int64_t groups = 1) {
  return {Dims(axes, stride), Dims(axes, 1), std::vector(axes, std::pair(pad, pad)), groups};
}

/// Compares the result of two spatial axes with the loops', of stride and padding alike on both.
void expect_square(const Dims& x, const Dims& w, const naive::ConvRule& rule, const Dims& lengths,
                   ConvTransposeOptions options, const Tolerance& tolerance = of_transposed_sums) {
  SCOPED_TRACE(text(x) + " " + text(w));
  const Array a = random_array(DType::f32, x), b = random_array(DType::f32, w, 2);
  options.stride = rule.stride;
  options.groups = rule.groups;
  EXPECT_TRUE(
      matches(conv_transpose(upload(a), upload(b), options), naive::conv_transpose(a, b, rule, lengths), tolerance));
}

/// Results beside channels decide how they are computed.
EG_TEST(TransposedConvolutions, few_results_of_many_channels) {
  for (const int64_t results : {3, 17})
    expect_square({2, 34, 5, 4}, {34, results, 4, 4}, transposed_rule(2, 2, 1), {10, 8}, {.padding = 1},
                  {0, 2e-4, 1e-5});
  expect_square({1, 34, 5, 4}, {34, 1, 3, 3}, transposed_rule(2, 3, 0), {15, 12}, {});
  expect_square({2, 8, 3, 4}, {8, 2, 3, 3}, transposed_rule(2, 1, 1, 2), {3, 4}, {.padding = 1});
  expect_square({1, 33, 60, 1}, {33, 1, 3, 1}, {{2, 1}, {1, 1}, {{1, 1}, {0, 0}}}, {119, 1},
                {.padding = {{1, 1}, {0, 0}}});
}

EG_TEST(TransposedConvolutions, of_a_channel_each) {
  expect_square({2, 5, 4, 6}, {5, 1, 3, 3}, transposed_rule(2, 1, 1, 5), {4, 6}, {.padding = 1});
  expect_square({2, 5, 4, 6}, {5, 1, 3, 3}, transposed_rule(2, 2, 1, 5), {8, 12}, {.padding = 1, .output_padding = 1});
  expect_square({1, 3, 4, 2}, {3, 1, 8, 8}, transposed_rule(2, 4, 2, 3), {16, 8}, {.padding = 2});
  expect_square({1, 2, 3, 2}, {2, 1, 12, 12}, transposed_rule(2, 6, 3, 2), {18, 12}, {.padding = 3});
}

EG_TEST(TransposedConvolutions, of_integers_are_exact) {
  for (const DType dtype : {DType::i32, DType::u32})
    for (const uint64_t seed : {4, 8}) {
      const DrawnTransposed drawn = drawn_transposed(seed, dtype);
      EXPECT_TRUE(matches(conv_transpose(upload(drawn.x), upload(drawn.w), transposed_options(drawn)),
                          naive::conv_transpose(drawn.x, drawn.w, drawn.rule, drawn.lengths)));
      const Array a = of_many_bits(drawn.x), b = of_many_bits(drawn.w);
      EXPECT_TRUE(matches(conv_transpose(upload(a), upload(b), transposed_options(drawn)),
                          naive::conv_transpose(a, b, drawn.rule, drawn.lengths)));
    }
  const Tensor bytes = Tensor::from(std::vector<int8_t>(27, -128), {1, 3, 3, 3});
  const Tensor sums = conv_transpose(bytes, bytes.reshape({3, 1, 3, 3}), {.padding = 2});
  EXPECT_EQ(sums.dtype(), DType::i32);
  EXPECT_EQ(sums.item<int32_t>(), 27 * 128 * 128);
}

EG_TEST(TransposedConvolutions, of_narrow_floats_round_once) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const Array x = random_array(dtype, {2, 3, 6, 7}), w = random_array(dtype, {3, 4, 3, 3}, 2);
    const ConvTransposeOptions options{.stride = 2, .padding = 1, .output_padding = 1};
    const Tensor y = conv_transpose(upload(x), upload(w), options);
    EXPECT_EQ(y.dtype(), dtype);
    const Tensor wide = conv_transpose(upload(x).astype(DType::f32), upload(w).astype(DType::f32), options);
    EXPECT_TRUE(array_equal(y, wide.astype(dtype)));
  }
}

EG_TEST(TransposedConvolutions, every_view) {
  const naive::ConvRule rule = transposed_rule(2, 2, 1);
  const Array x = random_array(DType::f32, {2, 3, 5, 4}), w = random_array(DType::f32, {3, 5, 3, 3}, 2);
  const Dims lengths{9, 7};
  const ConvTransposeOptions options{.stride = 2, .padding = 1};
  const auto of_x = [&](const Array& t) { return naive::conv_transpose(t, w, rule, lengths); };
  check_over_some_views(
      x, [&](const Tensor& t) { return conv_transpose(t, upload(w), options); }, of_x, of_transposed_sums);
  const auto of_w = [&](const Array& t) { return naive::conv_transpose(x, t, rule, lengths); };
  check_over_some_views(
      w, [&](const Tensor& t) { return conv_transpose(upload(x), t, options); }, of_w, of_transposed_sums);
}

EG_TEST(TransposedConvolutions, one_element_gives_the_kernel) {
  const Array x = random_array(DType::f32, {3, 20, 1, 1}), w = random_array(DType::f32, {20, 6, 4, 3}, 2);
  EXPECT_TRUE(matches(conv_transpose(upload(x), upload(w)),
                      naive::conv_transpose(x, w, transposed_rule(2, 1, 0), {4, 3}), of_transposed_sums));
}

/// Positions past what the last element reaches, and between elements farther apart than the kernel is long.
EG_TEST(TransposedConvolutions, what_no_element_reaches_is_the_bias) {
  const Tensor x = ones({1, 1, 3}), bias = full({1}, 0.5F);
  const Tensor y = conv_transpose(x, ones({1, 1, 1}), {.stride = 3, .output_padding = 2, .bias = bias});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1.5, 0.5, 0.5, 1.5, 0.5, 0.5, 1.5, 0.5, 0.5}));
  const Tensor none = conv_transpose(ones({1, 2, 2}), ones({2, 1, 1}), {.stride = 4, .padding = 1, .groups = 2});
  EXPECT_EQ(none.to_vector<float>(), std::vector<float>(6, 0));
}

EG_TEST(TransposedConvolutions, same_padding_gives_length_times_stride) {
  for (const int64_t window : {1, 2, 5}) {
    const Array x = random_array(DType::f32, {1, 2, 4}), w = random_array(DType::f32, {2, 2, window}, 2);
    const naive::ConvRule rule{{2}, {1}, {{window == 5 ? 1 : 0, 0}}};
    const Tensor y = conv_transpose(upload(x), upload(w), {.stride = 2, .padding = Padding::same});
    EXPECT_TRUE(matches(y, naive::conv_transpose(x, w, rule, {8}), of_transposed_sums));
  }
  const Tensor valid = conv_transpose(ones({1, 1, 2}), ones({1, 1, 2}), {.padding = Padding::valid});
  EXPECT_EQ(valid.to_vector<float>(), (std::vector<float>{1, 2, 1}));
}

EG_TEST(TransposedConvolutions, without_n) {
  const Array x = random_array(DType::f32, {3, 4, 5}), w = random_array(DType::f32, {3, 2, 3, 3}, 2);
  const Tensor batched = conv_transpose(upload(x).unsqueeze(0), upload(w), {.stride = 2});
  EXPECT_TRUE(array_equal(conv_transpose(upload(x), upload(w), {.stride = 2}), batched.squeeze({0})));
}

EG_TEST(TransposedConvolutions, without_elements) {
  EXPECT_EQ(conv_transpose(zeros({0, 3, 5, 5}), zeros({3, 4, 3, 3}), {.stride = 2}).shape(), (Shape{0, 4, 11, 11}));
  EXPECT_EQ(conv_transpose(zeros({2, 3, 5}), zeros({3, 0, 3})).shape(), (Shape{2, 0, 7}));
  EXPECT_EQ(conv_transpose(zeros({1, 3, 0}), zeros({3, 2, 3}), {.stride = 2, .padding = Padding::same}).shape(),
            (Shape{1, 2, 0}));
  const Tensor y = conv_transpose(zeros({1, 0, 1}), zeros({0, 2, 2}), {.bias = Tensor::from({1.0F, 2.0F}, {2})});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 1, 2, 2}));
}

EG_TEST(TransposedConvolutions, repeat_their_bits) {
  const DrawnTransposed drawn = drawn_transposed(10);
  const Tensor x = upload(drawn.x), w = upload(drawn.w);
  EXPECT_TRUE(array_equal(conv_transpose(x, w, transposed_options(drawn)).eval(),
                          conv_transpose(x, w, transposed_options(drawn)).eval()));
}

EG_TEST(TransposedConvolutionKernels, store_each_remainder_in_its_place) {
  const Tensor x = upload(random_array(DType::f32, {2, 4, 5, 5})),
               w3 = upload(random_array(DType::f32, {4, 6, 3, 3}, 2)), w2 = w3.slice(2, 0, 2).slice(3, 0, 2),
               bias = upload(random_array(DType::f32, {6}));
  EXPECT_EQ(kernels_of(conv_transpose(x, w3, {.padding = 1})), 1);
  EXPECT_EQ(kernels_of(relu(conv_transpose(x, w3, {.padding = 1, .bias = bias}))), 1);
  EXPECT_EQ(kernels_of(relu(conv_transpose(x, w2, {.stride = 2, .bias = bias}))), 1)
      << "one product for all remainders";
  EXPECT_EQ(kernels_of(conv_transpose(x, w3, {.stride = 2, .padding = 1, .output_padding = 1})), 4);
  EXPECT_EQ(kernels_of(relu(conv_transpose(x, w3, {.stride = 2, .bias = bias}))), 4);
  EXPECT_EQ(kernels_of(conv_transpose(x, w2.slice(2, 0, 1).slice(3, 0, 1), {.stride = 2})), 2) << "zeros, and sums";
}

/// Hundreds of KiB, of which a small window binds a part.
EG_TEST(WindowedTransposedConvolutions, read_and_write_past_what_one_binding_holds) {
  expect_square({1, 4, 60, 50}, {4, 6, 3, 3}, transposed_rule(2, 2, 1), {120, 100},
                {.padding = 1, .output_padding = 1});
  expect_square({1, 8, 60, 50}, {8, 2, 3, 3}, transposed_rule(2, 2, 1), {119, 99}, {.padding = 1});
  expect_square({1, 6, 60, 50}, {6, 1, 3, 3}, transposed_rule(2, 2, 1, 6), {119, 99}, {.padding = 1});
}

}  // namespace
}  // namespace eglantine::test
