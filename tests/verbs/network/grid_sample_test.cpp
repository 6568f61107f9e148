#include "eglantine/ops.hpp"
#include "support/kernel_count.hpp"
#include "support/over_views.hpp"
#include "support/reference/naive_interpolation.hpp"
#include "support/reference/special_values.hpp"

/// grid_sample against sums over the elements around each place.
namespace eglantine::test {
namespace {

EG_ON_EACH_DEVICE(Network, GridSamples);
EG_ON_EACH_DEVICE(Graph, GridSampleKernels);
EG_ON_EACH_DEVICE(Windows, GridSampleWindows);

constexpr Tolerance of_places{0, 2e-5, 2e-5};

/// Multiples of 1/64 that, with lengths below 16, are places whose halves f32 has exactly, moved away from ties.
Array drawn_grid(const Dims& shape, double reach, uint64_t seed) {
  Random random(seed);
  return generate(DType::f32, shape,
                  [&](const Dims&) { return std::floor(random.real(-reach, reach) * 64) / 64 + 1.0 / 512; });
}

void expect_sampled(const Array& x, const Array& grid, const GridOptions& options) {
  SCOPED_TRACE(text(x.shape) + " at " + text(grid.shape) + ", mode " + std::to_string(static_cast<int>(options.mode)) +
               ", padding " + std::to_string(static_cast<int>(options.padding)) +
               (options.align_corners ? ", corners" : ""));
  EXPECT_TRUE(matches(grid_sample(upload(x), upload(grid), options), naive::grid_sample(x, grid, options),
                      options.mode == Interpolation::nearest ? bitwise : of_places));
}

std::vector<GridOptions> every_option(bool cubic = true) {
  std::vector<GridOptions> all;
  for (Interpolation mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic})
    for (PadMode padding : {PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap})
      for (bool corners : {false, true})
        if (cubic || mode != Interpolation::cubic) all.push_back({mode, padding, corners});
  return all;
}

EG_TEST(GridSamples, every_mode_and_padding) {
  Draw draw = draw_programs_one_of(4);
  for (const GridOptions& options : every_option())
    for (const Dims& shape : {Dims{2, 3, 7, 5}, Dims{1, 2, 1, 13}, Dims{2, 1, 1, 1}})
      if (draw.next()) expect_sampled(random_array(DType::f32, shape), drawn_grid({shape[0], 5, 9, 2}, 3, 7), options);
}

EG_TEST(GridSamples, of_three_axes) {
  Draw draw = draw_programs_one_of(3);
  for (const GridOptions& options : every_option(false))
    if (draw.next())
      expect_sampled(random_array(DType::f32, {2, 2, 3, 5, 4}), drawn_grid({2, 2, 3, 4, 3}, 1.5, 3), options);
}

EG_TEST(GridSamples, nearest_rounds_half_to_even) {
  // Places 0.5, 1.5, 2.5 of 4 elements.
  const Tensor grid = Tensor::from({-0.5F, 0.0F, 0.0F, 0.0F, 0.5F, 0.0F}, {1, 1, 3, 2});
  const Tensor x = arange(0, 4).reshape({1, 1, 1, 4});
  EXPECT_EQ(grid_sample(x, grid, {.mode = Interpolation::nearest}).to_vector<float>(), (std::vector<float>{0, 2, 2}));
}

EG_TEST(GridSamples, the_grid_of_all_places_is_the_picture) {
  const Array x = random_array(DType::f32, {1, 2, 3, 5});
  Array grid{DType::f32, {1, 3, 5, 2}, {}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) grid.values.insert(grid.values.end(), {j / 2.0 - 1, i - 1.0});
  for (Interpolation mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic})
    EXPECT_TRUE(matches(grid_sample(upload(x), upload(grid), {.mode = mode, .align_corners = true}), x));
}

EG_TEST(GridSamples, every_view) {
  const Array grid = drawn_grid({2, 4, 5, 2}, 1.2, 9);
  for (Interpolation mode : {Interpolation::nearest, Interpolation::linear})
    check_over_some_views(
        random_array(DType::f32, {2, 3, 5, 7}),
        [&](const Tensor& x) { return grid_sample(x, upload(grid), {.mode = mode}); },
        [&](const Array& x) { return naive::grid_sample(x, grid, {.mode = mode}); }, of_places);
}

EG_TEST(GridSamples, of_every_dtype) {
  const Array grid = drawn_grid({1, 4, 5, 2}, 1.5, 11);
  for (DType dtype : every_dtype) {
    const Array x = random_array(dtype, {1, 3, 5, 6});
    expect_sampled(x, grid, {.mode = Interpolation::nearest});
    expect_sampled(x, grid, {});
    expect_sampled(x, grid, {.mode = Interpolation::cubic, .padding = PadMode::edge});
  }
}

EG_TEST(GridSamples, far_and_infinite_coordinates_read_padding) {
  const Tensor x = ones({1, 1, 4, 4});
  const Tensor grid = Tensor::from({1e30F, 0.0F, 0.0F, -1e30F, static_cast<float>(infinity), 0.0F}, {1, 1, 3, 2});
  for (Interpolation mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic})
    EXPECT_EQ(grid_sample(x, grid, {.mode = mode}).to_vector<float>(), (std::vector<float>{0, 0, 0}));
  const Tensor far = grid.slice(2, 0, 2);
  EXPECT_EQ(grid_sample(x, far, {.padding = PadMode::edge}).to_vector<float>(), (std::vector<float>{1, 1}));
}

EG_TEST(GridSamples, without_elements) {
  EXPECT_EQ(grid_sample(zeros({2, 3, 4, 5}), zeros({2, 0, 7, 2})).shape(), (Shape{2, 3, 0, 7}));
  EXPECT_EQ(grid_sample(zeros({0, 3, 4, 5}, DType::i32), zeros({0, 1, 7, 2})).dtype(), DType::f32);
}

EG_TEST(GridSampleKernels, are_one) {
  const Tensor x = upload(random_array(DType::f32, {2, 3, 12, 5})), grid = upload(drawn_grid({2, 8, 8, 2}, 1, 1));
  EXPECT_EQ(kernels_of(grid_sample(x, grid)), 1);
  EXPECT_EQ(kernels_of(relu(grid_sample(x, grid * 0.5F, {.padding = PadMode::edge}))), 1);
  EXPECT_EQ(kernels_of(grid_sample(x, grid, {.mode = Interpolation::nearest, .padding = PadMode::reflect})), 1);
  const Tensor volumes = upload(random_array(DType::f32, {1, 2, 3, 5, 4})),
               places = upload(drawn_grid({1, 2, 3, 4, 3}, 1, 1));
  for (PadMode padding : {PadMode::constant, PadMode::reflect, PadMode::edge, PadMode::wrap}) {
    EXPECT_EQ(kernels_of(grid_sample(volumes, places, {.padding = padding})), 1);
    EXPECT_EQ(kernels_of(grid_sample(x, grid, {.mode = Interpolation::cubic, .padding = padding})), 1);
  }
}

EG_TEST(GridSampleWindows, of_large_tensors_and_large_pictures) {
  const Array grid = drawn_grid({2, 50, 41, 2}, 1.2, 5);
  for (const Dims& shape : {Dims{2, 7, 70, 65}, Dims{2, 1, 150, 141}})
    for (Interpolation mode : {Interpolation::nearest, Interpolation::linear}) {
      const Array x = random_array(DType::f32, shape);
      EXPECT_TRUE(matches(grid_sample(upload(x), upload(grid), {.mode = mode, .padding = PadMode::edge}),
                          naive::grid_sample(x, grid, {.mode = mode, .padding = PadMode::edge}),
                          Tolerance{0, 1e-4, 1e-4}));
    }
}

}  // namespace
}  // namespace eglantine::test
