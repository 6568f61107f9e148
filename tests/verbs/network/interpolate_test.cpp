#include "eglantine/ops.hpp"
#include "graph/node.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/plans_for_gpus.hpp"
#include "support/reference/naive_interpolation.hpp"
#include "support/reference/special_values.hpp"

/// interpolate against sums over the elements around each place.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, Interpolations);
EG_ON_EACH_DEVICE(Graph, InterpolationKernels);
EG_ON_EACH_DEVICE(Windows, InterpolationWindows);

constexpr Tolerance of_interpolated_sums{0, 2e-6, 2e-6};

using Options = InterpolateOptions;

std::vector<Options> every_mode() {
  return {{.mode = Interpolation::nearest},
          {.mode = Interpolation::linear},
          {.mode = Interpolation::linear, .align_corners = true},
          {.mode = Interpolation::linear, .antialias = true},
          {.mode = Interpolation::linear, .align_corners = true, .antialias = true},
          {.mode = Interpolation::cubic},
          {.mode = Interpolation::cubic, .align_corners = true},
          {.mode = Interpolation::cubic, .antialias = true}};
}

Tolerance tolerance_of(const Options& options) {
  return options.mode == Interpolation::nearest ? bitwise : of_interpolated_sums;
}

void expect_interpolated(const Array& x, const Dims& sizes, const Options& options) {
  SCOPED_TRACE(text(x.shape) + " to " + text(sizes) + ", mode " + std::to_string(static_cast<int>(options.mode)) +
               (options.align_corners ? ", corners" : "") + (options.antialias ? ", antialias" : "") +
               (options.scale.empty() ? "" : ", scale " + std::to_string(options.scale[0])));
  EXPECT_TRUE(
      matches(interpolate(upload(x), sizes, options), naive::interpolate(x, sizes, options), tolerance_of(options)));
}

EG_TEST(Interpolations, every_size_of_small_axes) {
  Draw draw = draw_programs_one_of(12);
  for (const Options& options : every_mode())
    for (int64_t length : {1, 2, 5, 8})
      for (int64_t size : {1, 2, 3, 4, 5, 10, 13, 16})
        if (draw.next()) expect_interpolated(random_array(DType::f32, {2, 3, length}), {size}, options);
}

EG_TEST(Interpolations, of_two_axes) {
  Draw draw = draw_programs_one_of(6);
  for (const Options& options : every_mode())
    for (const Dims& sizes : {Dims{12, 14}, Dims{6, 21}, Dims{3, 7}, Dims{1, 1}, Dims{5, 3}, Dims{11, 13}, Dims{2, 28}})
      if (draw.next()) expect_interpolated(random_array(DType::f32, {2, 3, 6, 7}), sizes, options);
}

/// The tables of sizes that were met before are in memory.
EG_TEST(Interpolations, upload_tables_once) {
  const auto tables_of = [](const Tensor& x, const Options& options) {
    const Tensor y = interpolate(x, {12, 14}, options);
    std::vector<const Buffer*> tables;
    const auto& args = y.node()->as<nodes::Composite>()->args;
    for (size_t i = 1; i < args.size(); ++i) tables.push_back(args[i]->stored().buffer.get());
    return tables;
  };
  const Tensor x = upload(random_array(DType::f32, {2, 3, 6, 7})).eval();
  const Tensor other = upload(random_array(DType::f32, {1, 5, 6, 7})).eval();
  const Options linear{.mode = Interpolation::linear}, cubic{.mode = Interpolation::cubic};
  const auto known = tables_of(x, linear);
  EXPECT_EQ(known.size(), 2U);
  EXPECT_NE(tables_of(other, cubic), known);
  EXPECT_NE(tables_of(x, {.mode = Interpolation::linear, .align_corners = true}), known);
  EXPECT_NE(tables_of(x, {.mode = Interpolation::linear, .scale = {2, 2.5}}), known);
  EXPECT_EQ(tables_of(other, linear), known);
}

EG_TEST(Interpolations, of_three_axes) {
  Draw draw = draw_programs_one_of(4);
  for (const Options& options : every_mode())
    for (const Dims& sizes : {Dims{8, 10, 6}, Dims{3, 7, 1}, Dims{2, 2, 2}, Dims{4, 9, 3}})
      if (draw.next()) expect_interpolated(random_array(DType::f32, {1, 2, 4, 5, 3}), sizes, options);
}

/// Many elements an output, which a reduction adds up.
EG_TEST(Interpolations, far_smaller_pictures_without_aliases) {
  for (const Interpolation mode : {Interpolation::linear, Interpolation::cubic}) {
    expect_interpolated(random_array(DType::f32, {2, 1, 96, 5}), {4, 5}, {.mode = mode, .antialias = true});
    expect_interpolated(random_array(DType::f32, {1, 2, 40, 131}), {3, 2}, {.mode = mode, .antialias = true});
  }
}

EG_TEST(Interpolations, by_a_scale_that_is_not_that_of_the_lengths) {
  Draw draw = draw_programs_one_of(4);
  for (Options options : every_mode())
    for (double scale : {2.0, 2.3, 0.6, 41.0, 0.1}) {
      options.scale = {scale, 1};
      for (int64_t size : {1, 9, 23})
        if (draw.next()) expect_interpolated(random_array(DType::f32, {1, 2, 9, 4}), {size, 4}, options);
    }
}

/// Where a quotient in f32 falls below the whole number that it is.
EG_TEST(Interpolations, nearest_is_the_exact_floor) {
  for (int64_t times : {41, 47, 55, 61})
    expect_interpolated(iota(DType::f32, {1, 1, 9}), {9 * times}, {.scale = {static_cast<double>(times)}});
  expect_interpolated(iota(DType::i32, {1, 1, 1009}), {2003}, {});
  expect_interpolated(iota(DType::i32, {1, 1, 2003}), {1009}, {});
}

EG_TEST(Interpolations, every_view) {
  for (const Options& options : every_mode())
    check_over_some_views(
        random_array(DType::f32, {2, 3, 5, 7}),
        [&](const Tensor& x) {
          return interpolate(x, {8, 5}, options);
        },
        [&](const Array& x) {
          return naive::interpolate(x, {8, 5}, options);
        },
        tolerance_of(options));
}

EG_TEST(Interpolations, of_every_dtype) {
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {1, 3, 5, 6});
    expect_interpolated(x, {7, 13}, {});
    expect_interpolated(x, {5, 3}, {});
    expect_interpolated(x, {10, 12}, {.mode = Interpolation::linear});
    expect_interpolated(x, {3, 7}, {.mode = Interpolation::cubic});
    expect_interpolated(x, {2, 6}, {.mode = Interpolation::linear, .antialias = true});
  }
}

EG_TEST(Interpolations, infinities_stay_where_they_weigh_something) {
  Array x = random_array(DType::f32, {1, 1, 9});
  x.values[4] = infinity;
  const std::vector<float> y =
      interpolate(upload(x), {5}, {.mode = Interpolation::linear, .antialias = true}).to_vector<float>();
  EXPECT_EQ(y[2], infinity);
  EXPECT_TRUE(std::isfinite(y[0]) && std::isfinite(y[4]));
}

EG_TEST(Interpolations, without_n_and_without_elements) {
  expect_interpolated(random_array(DType::f32, {3, 7, 5}), {3, 8}, {.mode = Interpolation::linear});
  EXPECT_EQ(interpolate(zeros({0, 3, 7}), 3).shape(), (Shape{0, 3, 3}));
  const Tensor none = interpolate(zeros({2, 0, 7}, DType::u8), 3, {.mode = Interpolation::linear});
  EXPECT_EQ(none.shape(), (Shape{2, 0, 3}));
  EXPECT_EQ(none.dtype(), DType::f32);
}

EG_TEST(Interpolations, of_what_is_not_computed_yet) {
  const Array x = random_array(DType::f32, {2, 2, 6, 5});
  const Array y = naive::interpolate(x, {9, 10}, {.mode = Interpolation::linear});
  const Tensor half = upload(x) * 0.5F;
  EXPECT_TRUE(matches(interpolate(half + half, {9, 10}, {.mode = Interpolation::linear}), y, of_interpolated_sums));
  EXPECT_TRUE(matches(interpolate(upload(x).flip({3}), {9, 10}, {.mode = Interpolation::linear}).flip({3}), y,
                      of_interpolated_sums));
}

/// What follows reads it through views, padding, reductions and products.
EG_TEST(Interpolations, as_an_operand) {
  const Array x = random_array(DType::f32, {1, 2, 6, 5});
  const Tensor y = interpolate(upload(x), {8, 8}, {.mode = Interpolation::linear});
  const Tensor known = upload(naive::interpolate(x, {8, 8}, {.mode = Interpolation::linear}));
  const auto expect = [&](const Tensor& actual, const Tensor& expected) {
    EXPECT_TRUE(matches(actual, download(expected), Tolerance{0, 1e-5, 1e-5}));
  };
  expect(y.permute({0, 3, 1, 2}) + 1.0F, known.permute({0, 3, 1, 2}) + 1.0F);
  expect(y.pad({{0, 0}, {0, 0}, {1, 2}, {0, 1}}), known.pad({{0, 0}, {0, 0}, {1, 2}, {0, 1}}));
  expect(roll(y, {3, 1}, {2, 3}), roll(known, {3, 1}, {2, 3}));
  expect(sum(y * y, {2}), sum(known * known, {2}));
  expect(softmax(y, 3), softmax(known, 3));
  expect(cumsum(y, 2), cumsum(known, 2));
  expect(matmul(y, y.transpose(2, 3)), matmul(known, known.transpose(2, 3)));
  expect(y.reshape({16, 8}).slice(0, 1, 16, 3), known.reshape({16, 8}).slice(0, 1, 16, 3));
  expect(concatenate({y, y.flip({2})}, 1), concatenate({known, known.flip({2})}, 1));
  expect(sort(y, 3), sort(known, 3));
}

EG_TEST(InterpolationKernels, are_one_for_all_axes) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 26, 12}));
  EXPECT_EQ(kernels_of(interpolate(x, {24, 10})), 1);
  EXPECT_EQ(
      kernels_of(relu(interpolate(x, {24, 10}, {.mode = Interpolation::linear}) + x.slice(2, 0, 1).slice(3, 0, 1))), 1);
  EXPECT_EQ(kernels_of(sum(interpolate(x, {24, 10}, {.mode = Interpolation::linear}), {1})), 1);
  const Tensor cube = upload(random_array(DType::f16, {2, 1, 3, 4, 5}));
  EXPECT_EQ(kernels_of(interpolate(cube, {2, 3, 4}, {.mode = Interpolation::linear})), 1);
}

/// On GPUs one kernel of whatever there is to combine; elsewhere one for each axis where that is less to read.
EG_TEST(InterpolationKernels, of_many_elements) {
  const Options cubic{.mode = Interpolation::cubic}, linear{.mode = Interpolation::linear, .antialias = true};
  const bool is_gpu = plans_for_gpus(device());
  const Tensor x = upload(random_array(DType::f32, {2, 3, 48, 40}));
  EXPECT_EQ(kernels_of(interpolate(x, {96, 80}, cubic)), is_gpu ? 1 : 2);
  EXPECT_EQ(kernels_of(interpolate(x, {11, 19}, cubic)), 1);
  EXPECT_EQ(kernels_of(interpolate(x, {96, 80}, {.mode = Interpolation::linear})), is_gpu ? 1 : 2);
  EXPECT_EQ(kernels_of(interpolate(x, {24, 20}, linear)), 1);
  EXPECT_EQ(kernels_of(interpolate(x, {16, 13}, linear)), is_gpu ? 1 : 2);
  EXPECT_EQ(kernels_of(relu(interpolate(x, {3, 2}, linear)) + 1.0F), is_gpu ? 1 : 2);
  const Tensor cube = upload(random_array(DType::f16, {2, 1, 3, 4, 5}));
  EXPECT_EQ(kernels_of(interpolate(cube, {6, 8, 9}, cubic)), is_gpu ? 1 : 3);
  EXPECT_EQ(kernels_of(interpolate(cube, {1, 2, 2}, {.mode = Interpolation::cubic, .antialias = true})),
            is_gpu ? 1 : 3);
}

/// Where the one axis is to be longer and the other shorter: the shorter one first.
EG_TEST(Interpolations, of_one_longer_and_one_shorter_axis) {
  for (const Interpolation mode : {Interpolation::linear, Interpolation::cubic})
    for (const bool antialias : {false, true})
      for (const Dims& sizes : {Dims{31, 4}, Dims{3, 33}})
        expect_interpolated(random_array(DType::f32, {1, 2, 9, 11}), sizes, {.mode = mode, .antialias = antialias});
}

/// Of 64 KiB bindings: pictures that fit, of a tensor that does not, and pictures that do not.
EG_TEST(InterpolationWindows, of_large_tensors_and_large_pictures) {
  const Array many = random_array(DType::f32, {3, 5, 70, 65}), large = random_array(DType::f32, {1, 2, 150, 141});
  for (const Options& options :
       {Options{}, Options{.mode = Interpolation::linear}, Options{.mode = Interpolation::cubic}}) {
    expect_interpolated(many, {33, 90}, options);
    expect_interpolated(large, {40, 60}, options);
    const Array y = naive::interpolate(many, {33, 90}, options);
    EXPECT_TRUE(matches(max(interpolate(upload(many), {33, 90}, options), {2, 3}), download(max(upload(y), {2, 3})),
                        tolerance_of(options)));
  }
  expect_interpolated(large, {9, 13}, {.mode = Interpolation::linear, .antialias = true});
}

}  // namespace
}  // namespace eglantine::test
