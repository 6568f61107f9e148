#include "eglantine/verbs/convolution.hpp"

#include "eglantine/grad.hpp"
#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/naive.hpp"
#include "verbs/network/drawn_convolution.hpp"

/// Convolutions against loops over what each result sums, and how many kernels they are.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, Convolutions);
EG_ON_EACH_DEVICE(Graph, ConvolutionKernels);
EG_ON_EACH_DEVICE(Windows, WindowedConvolutions);

/// Of sums of a few hundred products of numbers below 2.
constexpr Tolerance of_convolution_sums{0, 1e-4, 1e-5};

EG_TEST(Convolutions, drawn_strides_pads_dilations_and_groups) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_convolution(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    ConvOptions options = options_of(rule);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options), naive::conv(x, w, rule), of_convolution_sums));
    options.bias = upload(bias);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options), naive::conv(x, w, rule, bias), of_convolution_sums));
  }
}

/// Of which a tile's rows would be mostly empty.
EG_TEST(Convolutions, drawn_groups_of_several_channels) {
  Draw draw = draw_programs_one_of(6);
  for (uint64_t seed = 1; seed <= 36; ++seed) {
    if (!draw.next()) continue;
    const auto [x, w, bias, rule] = drawn_groups(seed);
    SCOPED_TRACE(std::to_string(seed) + ": " + text(x.shape) + " " + text(w.shape));
    ConvOptions options = options_of(rule);
    options.bias = upload(bias);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options), naive::conv(x, w, rule, bias), {0, 2e-4, 1e-4}));
  }
}

EG_TEST(Convolutions, of_integers_are_exact) {
  for (const DType dtype : {DType::i32, DType::u32}) {
    const auto [x, w, bias, rule] = drawn_convolution(4, dtype);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options_of(rule)), naive::conv(x, w, rule)));
    const Array a = of_many_bits(x), b = of_many_bits(w);
    EXPECT_TRUE(matches(conv(upload(a), upload(b), options_of(rule)), naive::conv(a, b, rule)));
  }
  const Tensor bytes = Tensor::from(std::vector<int8_t>(27, -128), {1, 3, 3, 3});
  const Tensor sums = conv(bytes, bytes);
  EXPECT_EQ(sums.dtype(), DType::i32);
  EXPECT_EQ(sums.item<int32_t>(), 27 * 128 * 128);
}

EG_TEST(Convolutions, of_narrow_floats_round_once) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const naive::ConvRule rule = rule_of(2, 1, 1);
    const Array x = random_array(dtype, {2, 3, 6, 7}), w = random_array(dtype, {4, 3, 3, 3}, 2);
    const Tensor y = conv(upload(x), upload(w), options_of(rule));
    EXPECT_EQ(y.dtype(), dtype);
    const Tensor wide = conv(upload(x).astype(DType::f32), upload(w).astype(DType::f32), options_of(rule));
    EXPECT_TRUE(array_equal(y, wide.astype(dtype)));
  }
}

EG_TEST(Convolutions, every_view) {
  const naive::ConvRule rule = rule_of(2, 2, 1);
  const Array x = random_array(DType::f32, {2, 3, 9, 7}), w = random_array(DType::f32, {5, 3, 3, 2}, 2);
  const auto of_x = [&](const Array& t) { return naive::conv(t, w, rule); };
  check_over_some_views(
      x, [&](const Tensor& t) { return conv(t, upload(w), options_of(rule)); }, of_x, of_convolution_sums);
  const auto of_w = [&](const Array& t) { return naive::conv(x, t, rule); };
  check_over_some_views(
      w, [&](const Tensor& t) { return conv(upload(x), t, options_of(rule)); }, of_w, of_convolution_sums);
}

EG_TEST(Convolutions, longer_sums_than_a_tile_and_more_results) {
  const naive::ConvRule rule = rule_of(1, 1, 2);
  const Array x = random_array(DType::f32, {1, 300, 70}), w = random_array(DType::f32, {70, 300, 5}, 2);
  EXPECT_TRUE(matches(conv(upload(x), upload(w), options_of(rule)), naive::conv(x, w, rule), {0, 2e-3, 1e-4}));
}

/// Of many windows, whose tiles and vectors go past the ends of rows.
EG_TEST(Convolutions, of_rows_that_no_tile_divides) {
  for (const auto& [x_shape, w_shape, rule] :
       {std::tuple<Dims, Dims, naive::ConvRule>{{1, 8, 44, 46}, {13, 8, 3, 3}, rule_of(2, 1, 1)},
        {{3, 64, 14, 14}, {9, 64, 3, 3}, rule_of(2, 1, 1)},
        {{2, 12, 61, 31}, {20, 12, 3, 3}, rule_of(2, 2, 1)}}) {
    SCOPED_TRACE(text(x_shape) + " " + text(w_shape));
    const Array x = random_array(DType::f32, x_shape), w = random_array(DType::f32, w_shape, 2);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options_of(rule)), naive::conv(x, w, rule), {0, 1e-3, 1e-4}));
  }
}

/// Few results of few products, for which a GPU's tiles would be mostly empty, and one result of many.
EG_TEST(Convolutions, of_few_results) {
  const auto check = [&](const Dims& x_shape, const Dims& w_shape, const naive::ConvRule& rule) {
    SCOPED_TRACE(text(x_shape) + " " + text(w_shape));
    const Array x = random_array(DType::f32, x_shape), w = random_array(DType::f32, w_shape, 2);
    EXPECT_TRUE(matches(conv(upload(x), upload(w), options_of(rule)), naive::conv(x, w, rule), {0, 1e-3, 1e-4}));
  };
  check({5, 1, 12, 8}, {1, 1, 5, 5}, rule_of(2, 1, 2));
  check({3, 1, 13, 9}, {2, 1, 3, 3}, rule_of(2, 2, 0));
  check({4, 3, 46}, {7, 3, 7}, rule_of(1, 2, 0));
  check({2, 6, 9, 7}, {12, 2, 3, 2}, rule_of(2, 1, 1, 1, 3));
  check({2, 6, 9, 7}, {3, 2, 3, 2}, rule_of(2, 1, 1, 2, 3));
  check({3, 34, 20}, {1, 34, 3}, rule_of(1, 1, 1));
  check({2, 5, 7, 6, 5}, {1, 5, 3, 3, 2}, rule_of(3, 1, 1));
  check({5, 7, 4, 6}, {1, 7, 4, 6}, rule_of(2, 1, 0));
  check({5, 7, 4, 6}, {1, 7, 4, 5}, rule_of(2, 1, 1));
  check({2, 4, 11, 10}, {4, 1, 6, 7}, rule_of(2, 1, 3, 1, 4));
  check({2, 4, 11, 12}, {4, 1, 7, 7}, rule_of(2, 1, 3, 1, 4));
  check({3, 5, 9, 12}, {9, 5, 3, 3}, rule_of(2, 1, 1));
  check({3, 5, 8, 9}, {9, 5, 3, 3}, rule_of(2, 1, 1));
  check({3, 5, 8, 10}, {9, 5, 3, 3}, rule_of(2, 1, 0));
  check({2, 5, 17, 18}, {9, 5, 3, 3}, rule_of(2, 2, 0));
  check({2, 5, 18, 26}, {9, 5, 4, 4}, rule_of(2, 3, 0));
  check({2, 5, 23, 27}, {9, 5, 5, 5}, rule_of(2, 3, 0));
  check({2, 4, 40}, {3, 4, 11}, rule_of(1, 1, 0, 2));
  check({2, 8, 99}, {3, 8, 4}, rule_of(1, 3, 0));
  check({2, 8, 68}, {3, 8, 6}, rule_of(1, 2, 0));
  check({1, 8, 100}, {3, 8, 6}, rule_of(1, 3, 0));
  check({1, 8, 132}, {9, 8, 4}, rule_of(1, 4, 0));
  check({1, 5, 7, 9}, {9, 5, 3, 3}, rule_of(2, 1, 1));
  check({2, 8, 9, 16}, {5, 8, 3, 3}, rule_of(2, 2, 1));
  check({2, 16, 40}, {3, 16, 5}, rule_of(1, 1, 2));
  check({1, 4, 6, 7, 8}, {16, 4, 2, 3, 2}, rule_of(3, 1, 1));
  check({2, 4, 11, 10}, {8, 1, 7, 7}, rule_of(2, 2, 3, 1, 4));
  check({1, 2, 13, 12}, {2, 1, 11, 11}, rule_of(2, 1, 5, 1, 2));
}

EG_TEST(Convolutions, a_kernel_longer_than_the_axis_fits_its_padding) {
  const naive::ConvRule rule = rule_of(2, 1, 2);
  const Array x = random_array(DType::f32, {2, 2, 3, 2}), w = random_array(DType::f32, {3, 2, 5, 5}, 2);
  EXPECT_TRUE(matches(conv(upload(x), upload(w), {.padding = 2}), naive::conv(x, w, rule), of_convolution_sums));
}

EG_TEST(Convolutions, same_padding_gives_ceil_of_length_by_stride) {
  for (const int64_t length : {5, 6}) {
    const Array x = random_array(DType::f32, {1, 2, length}), w = random_array(DType::f32, {2, 2, 4}, 2);
    const naive::ConvRule rule{{2}, {1}, {length == 5 ? std::pair(1L, 2L) : std::pair(1L, 1L)}};
    const Tensor y = conv(upload(x), upload(w), {.stride = 2, .padding = Padding::same});
    EXPECT_TRUE(matches(y, naive::conv(x, w, rule), of_convolution_sums));
  }
}

/// Of images, or filters, that are all one.
EG_TEST(Convolutions, of_what_repeats) {
  const Tensor x = upload(random_array(DType::f32, {3, 2, 9, 8})),
               w = upload(random_array(DType::f32, {4, 2, 3, 3}, 2));
  const Tensor bias = upload(random_array(DType::f32, {4}, 3)), many = upload(random_array(DType::f32, {20000}, 4));
  const Tensor y = conv(x, w, {.padding = 1, .bias = bias}), plain = conv(x, w, {.padding = 1});
  const Tensor images = conv(x.slice(0, 1, 2).expand({20000, 2, 9, 8}), w, {.padding = 1, .bias = bias});
  const Tensor filters = conv(x, w.slice(0, 2, 3).expand({20000, 2, 3, 3}), {.padding = 1, .bias = many});
  EXPECT_TRUE(matches(images.slice(0, 19999, 20000), download(y.slice(0, 1, 2)), of_convolution_sums));
  EXPECT_TRUE(matches(filters.slice(1, 19999, 20000) - many.slice(0, 19999, 20000).reshape({1, 1, 1, 1}),
                      download(plain.slice(1, 2, 3)), of_convolution_sums));
}

EG_TEST(Convolutions, without_n) {
  const Array x = random_array(DType::f32, {3, 7, 5}), w = random_array(DType::f32, {4, 3, 3, 3}, 2);
  const Tensor batched = conv(upload(x).unsqueeze(0), upload(w));
  EXPECT_TRUE(array_equal(conv(upload(x), upload(w)), batched.squeeze({0})));
}

EG_TEST(Convolutions, without_elements) {
  EXPECT_EQ(conv(zeros({0, 3, 5, 5}), zeros({4, 3, 3, 3})).shape(), (Shape{0, 4, 3, 3}));
  EXPECT_EQ(conv(zeros({2, 3, 5}), zeros({0, 3, 3})).shape(), (Shape{2, 0, 3}));
  const Tensor y = conv(zeros({1, 0, 4}), zeros({2, 0, 3}), {.bias = Tensor::from({1.0F, 2.0F}, {2})});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 1, 2, 2}));
}

EG_TEST(Convolutions, repeat_their_bits) {
  const auto [x, w, bias, rule] = drawn_convolution(8);
  const Tensor in = upload(x), weights = upload(w);
  EXPECT_TRUE(array_equal(conv(in, weights, options_of(rule)).eval(), conv(in, weights, options_of(rule)).eval()));
}

EG_TEST(ConvolutionKernels, read_windows_in_place) {
  const Tensor x = upload(random_array(DType::f32, {2, 4, 9, 9})), w = upload(random_array(DType::f32, {6, 4, 3, 3}));
  const Tensor bias = upload(random_array(DType::f32, {6})), narrow = x.astype(DType::f16).eval(),
               half_w = w.astype(DType::f16).eval();
  const Tensor grouped = w.slice(1, 0, 2), depthwise = w.slice(0, 0, 4).slice(1, 0, 1);
  const ConvOptions options{.stride = 2, .padding = 1, .bias = bias};
  EXPECT_EQ(kernels_of(conv(x, w, options)), 1);
  EXPECT_EQ(kernels_of(relu(conv(x, w, options))), 1);
  EXPECT_EQ(kernels_of(conv(narrow, half_w, {.padding = 1})), 1);
  // A GPU writes several results of each group as one map, with both in axes of their own.
  EXPECT_LE(kernels_of(relu(conv(x, grouped, {.padding = 1, .groups = 2, .bias = bias}))), 2);
  EXPECT_EQ(kernels_of(relu(conv(x, depthwise, {.padding = 1, .groups = 4}))), 1);
  EXPECT_EQ(kernels_of(conv(relu(x), w, options)), 2) << "windows read what is computed once";
}

/// Images, groups, and places along the kernel's first axis: as many kernels as the fewest of them.
EG_TEST(ConvolutionKernels, of_groups_of_volumes_are_few) {
  const auto kernels = [](const Dims& x, const Dims& w, int64_t groups) {
    return kernels_of(conv(upload(random_array(DType::f32, x)), upload(random_array(DType::f32, w)),
                           {.padding = 1, .groups = groups}));
  };
  EXPECT_EQ(kernels({1, 48, 4, 5, 6}, {24, 6, 3, 3, 3}, 8), 1);
  EXPECT_EQ(kernels({2, 48, 4, 5, 6}, {24, 6, 3, 3, 3}, 8), 2);
  EXPECT_EQ(kernels({5, 48, 4, 5, 6}, {24, 6, 2, 3, 3}, 8), 2);
  EXPECT_EQ(kernels({5, 12, 4, 5, 6}, {24, 6, 3, 3, 3}, 2), 2);
}

EG_TEST(ConvolutionKernels, of_one_result_take_in_what_follows) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 9, 9})), bias = upload(random_array(DType::f32, {1}));
  for (const int64_t length : {3, 5}) {
    const Tensor w = upload(random_array(DType::f32, {1, 3, length, length}));
    EXPECT_EQ(kernels_of(relu(conv(x, w, {.padding = 1, .bias = bias}))), 1);
  }
}

/// Of 49 places, which share vectors of a line on a GPU, where a reduction would read each element by itself.
EG_TEST(ConvolutionKernels, of_a_channel_and_many_places_are_a_map_on_gpus) {
  const Tensor x = upload(random_array(DType::f32, {2, 4, 12, 16}));
  const Tensor w = upload(random_array(DType::f32, {4, 1, 7, 7}));
  const Tensor y = conv(x, w, {.padding = 3, .groups = 4});
  const bool gpu = plans_for_gpus(Device::current());
  EXPECT_EQ(explain(y).starts_with("map"), gpu) << explain(y).substr(0, 80);
  EXPECT_EQ(kernels_of(relu(y)), 1);
  const int64_t of_relu = kernels_of(conv(relu(x), w, {.padding = 3, .groups = 4}));
  EXPECT_TRUE(!gpu || of_relu == 2) << "windows read what is computed once: " << of_relu;
}

/// Its result is not summed again for each place of the window.
EG_TEST(ConvolutionKernels, of_a_channel_are_stored_for_the_gradient_of_their_weights) {
  const Tensor x = upload(random_array(DType::f32, {2, 4, 12, 16}));
  const auto loss = [&](const Tensors& t) { return sum(square(conv(x, t[0], {.padding = 3, .groups = 4}))); };
  EXPECT_GE(kernels_of(grad(loss, {upload(random_array(DType::f32, {4, 1, 7, 7}))})[0]), 2);
}

/// A GPU computes few results of each window as a product with few rows, whose tiles would be mostly empty.
EG_TEST(ConvolutionKernels, of_few_results_are_products_of_few_rows_on_gpus) {
  const Tensor x = upload(random_array(DType::f32, {2, 8, 12, 16})), w = upload(random_array(DType::f32, {9, 8, 3, 3}));
  const Tensor y = conv(x, w, {.padding = 1});
  const bool gpu = plans_for_gpus(Device::current());
  EXPECT_EQ(explain(y).starts_with("few_columns"), gpu) << explain(y).substr(0, 80);
  EXPECT_EQ(explain(conv(x, w)).find("#define EG_ALONG_ROWS") != std::string::npos, gpu);
  EXPECT_EQ(kernels_of(relu(y)), 1);
  EXPECT_EQ(kernels_of(conv(relu(x), w, {.padding = 1})), 2) << "windows read what is computed once";
}

/// Of one channel for one result, too, where windows are no multiple of four.
EG_TEST(ConvolutionKernels, of_one_channel_for_one_result_are_maps_on_gpus) {
  const naive::ConvRule rule = rule_of(2, 2, 3);
  const Array x = random_array(DType::f32, {50, 1, 14, 11}), w = random_array(DType::f32, {1, 1, 7, 7}, 2);
  const Tensor y = conv(upload(x), upload(w), options_of(rule));
  EXPECT_EQ(explain(y).starts_with("map"), plans_for_gpus(Device::current())) << explain(y).substr(0, 80);
  EXPECT_TRUE(matches(y, naive::conv(x, w, rule), of_convolution_sums));
}

/// What a column adds to the addresses of results takes a division, which is not of each row.
EG_TEST(ConvolutionKernels, divide_a_tiles_columns_once) {
  const Tensor x = upload(random_array(DType::f32, {400, 40, 9, 9}));
  const std::string text = explain(conv(x, upload(random_array(DType::f32, {40, 40, 3, 3})), {.padding = 1}));
  EXPECT_EQ(text.find("void eg_store_step(uint number)") != std::string::npos,
            text.find("#version") != std::string::npos);
}

/// Neighbouring windows with a stride share no vector of a map's: of many, short sums are such products too, in which
/// an invocation has all results of four windows, and adds up nothing with others.
EG_TEST(ConvolutionKernels, of_few_short_sums_with_a_stride_are_products_of_few_rows_on_gpus) {
  const naive::ConvRule rule = rule_of(2, 2, 1);
  const Array x = random_array(DType::f32, {1100, 1, 64, 62}), w = random_array(DType::f32, {5, 1, 3, 3}, 2);
  const Tensor y = conv(upload(x), upload(w), options_of(rule));
  const bool gpu = plans_for_gpus(Device::current());
  EXPECT_EQ(explain(y).starts_with("few_columns f32 batch (1100,) (992, 9) x (9, 5)"), gpu) << explain(y).substr(0, 80);
  EXPECT_TRUE(matches(y, naive::conv(x, w, rule), of_convolution_sums));
  const Tensor few = conv(upload(x).slice(0, 0, 40), upload(w), options_of(rule));
  EXPECT_FALSE(explain(few).starts_with("few_columns")) << explain(few).substr(0, 80);
}

/// Windows of what lies with its images innermost would read a line of memory for each element: they read a copy. On
/// other devices many windows read a copy with its padding, whatever it is of.
EG_TEST(ConvolutionKernels, of_few_results_copy_what_lies_in_another_order) {
  const bool gpu = plans_for_gpus(Device::current());
  const Array x = random_array(DType::f32, {40, 4, 44, 40}), w = random_array(DType::f32, {5, 4, 3, 3}, 2);
  const naive::ConvRule rule = rule_of(2, 1, 1);
  const Tensor stored = (upload(x).permute({3, 1, 2, 0}) + 0.0F).eval();
  const Tensor y = conv(stored.permute({3, 1, 2, 0}), upload(w), {.padding = 1});
  EXPECT_EQ(kernels_of(y), 2);
  EXPECT_TRUE(matches(y, naive::conv(x, w, rule), of_convolution_sums));
  EXPECT_EQ(kernels_of(conv(upload(x), upload(w), {.padding = 1})), gpu ? 1 : 2);
}

/// Hundreds of KiB, of which a small window binds a part.
EG_TEST(WindowedConvolutions, read_past_what_one_binding_holds) {
  const naive::ConvRule rule = rule_of(2, 3, 1);
  const Array x = random_array(DType::f32, {1, 4, 90, 95}), w = random_array(DType::f32, {6, 4, 3, 3}, 2);
  EXPECT_TRUE(matches(conv(upload(x), upload(w), options_of(rule)), naive::conv(x, w, rule), of_convolution_sums));
}

}  // namespace
}  // namespace eglantine::test
