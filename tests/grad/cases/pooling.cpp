#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_interpolation.hpp"
#include "support/reference/naive_pooling.hpp"

namespace eglantine::test {

namespace {

/// Windows of these lengths, one after the other.
naive::PoolRule side_by_side(const Dims& window) {
  return {window, window, Dims(window.size(), 1), std::vector<std::pair<int64_t, int64_t>>(window.size())};
}

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> pooling_cases() {
  return {
      {"avg_pool",
       {{1, 2, 6, 6}},
       [](const T& x) {
         return square(avg_pool(x[0], {2, 2}));
       },
       [](const A& x) {
         return square(naive::avg_pool(x[0], side_by_side({2, 2})));
       },
       "n?c?a>1b>1"},
      {"avg_pool of elements alone",
       {{1, 2, 5, 4}},
       [](const T& x) {
         return square(avg_pool(x[0], {3, 2}, {.stride = 2, .padding = 1, .count_padding = false}));
       },
       [](const A& x) {
         return square(naive::avg_pool(x[0], {{3, 2}, {2, 2}, {1, 1}, {{1, 1}, {1, 1}}}, false));
       },
       "n?c?ab"},
      {"max_pool",
       {{1, 2, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 2}, {.stride = 2, .padding = 1}));
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{3, 2}, {2, 2}, {1, 1}, {{1, 1}, {1, 1}}}));
       },
       "n?c?ab"},
      {"max_pool by remainders",
       {{1, 2, 6, 4}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 3}, {.stride = 2, .padding = 1}));
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{3, 3}, {2, 2}, {1, 1}, {{1, 1}, {1, 1}}}));
       },
       "ncab"},
      {"max_pool of every place",
       {{2, 5, 4}},
       [](const T& x) {
         return square(max_pool(x[0], {3, 3}, {.stride = 1, .padding = 1}));
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{3, 3}, {1, 1}, {1, 1}, {{1, 1}, {1, 1}}}));
       },
       "cab"},
      {"max_pool apart",
       {{1, 2, 9}},
       [](const T& x) { return square(max_pool(x[0], {2}, {.stride = 3, .dilation = 3})); },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{2}, {3}, {3}, {{0, 0}}}));
       },
       "n?c?a>3"},
      {"max_pool of many",  // by scattering
       {{1, 5, 6}},
       [](const T& x) {
         return square(max_pool(x[0], {5, 5}, {.stride = 1}));
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{5, 5}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}));
       },
       "na>4b>4"},
      {"lp_pool and adaptive_avg_pool",
       {{1, 2, 6}},
       [](const T& x) { return lp_pool(x[0] + 2, 2, {2}) * adaptive_avg_pool(x[0], {3}); },
       [](const A& x) {
         const Array squares = 2 * naive::avg_pool(square(x[0] + 2), side_by_side({2}));
         return each(squares, std::sqrt) * naive::adaptive_pool(x[0], {3}, DType::f32, naive::mean_of);
       },
       "n?c?6"},
      {"adaptive_max_pool",
       {{1, 2, 7}},
       [](const T& x) { return square(adaptive_max_pool(x[0], {3})); },
       [](const A& x) { return square(naive::adaptive_pool(x[0], {3}, DType::f32, naive::max_of)); },
       "n?c?a"},
      {"nearest interpolation",
       {{1, 2, 3, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {5, 3}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {5, 3}, {}));
       },
       "n?c?ab"},
      {"interpolate",
       {{1, 2, 3, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {5, 6}, {.mode = Interpolation::linear}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {5, 6}, {.mode = Interpolation::linear}));
       },
       "n?c?ab"},
      {"antialiased interpolation",
       {{1, 2, 6, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {4, 3}, {.mode = Interpolation::linear, .antialias = true}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {4, 3}, {.mode = Interpolation::linear, .antialias = true}));
       },
       "n?c?ab"},
      {"cubic interpolation",
       {{1, 1, 4}},
       [](const T& x) { return square(interpolate(x[0], {7}, {.mode = Interpolation::cubic})); },
       [](const A& x) { return square(naive::interpolate(x[0], {7}, {.mode = Interpolation::cubic})); },
       "n?c?a"},
      {"grid_sample",
       {{1, 2, 3, 4}, {1, 2, 2, 2}},
       [](const T& x) { return grid_sample(x[0], x[1] * 0.05F + 0.1F); },
       [](const A& x) { return naive::grid_sample(x[0], x[1] * 0.05F + 0.1F, {}); },
       "n?c?ab nh?w2"},
      {"grid_sample beyond the ends",
       {{1, 2, 3, 4}, {1, 3, 2, 2}},
       [](const T& x) { return grid_sample(x[0], x[1] * 1.5F, {.padding = PadMode::reflect, .align_corners = true}); },
       [](const A& x) {
         return naive::grid_sample(x[0], 1.5 * x[1], {.padding = PadMode::reflect, .align_corners = true});
       },
       "n?c?ab nhw?2"},
      {"cubic grid_sample",
       {{1, 1, 4, 4}, {1, 2, 2, 2}},
       [](const T& x) { return grid_sample(x[0], x[1], {.mode = Interpolation::cubic, .padding = PadMode::edge}); },
       [](const A& x) {
         return naive::grid_sample(x[0], x[1], {.mode = Interpolation::cubic, .padding = PadMode::edge});
       },
       "ncab nhw2"},
      {"avg_pool over three axes",
       {{1, 2, 3, 4, 3}},
       [](const T& x) {
         return square(avg_pool(x[0], {2, 2, 2}, {.stride = {1, 2, 1}, .padding = {{0, 1}, {1, 0}, {0, 0}}}));
       },
       [](const A& x) {
         return square(naive::avg_pool(x[0], {{2, 2, 2}, {1, 2, 1}, {1, 1, 1}, {{0, 1}, {1, 0}, {0, 0}}}));
       },
       "ncabd>1"},
      {"max_pool over three axes",
       {{1, 1, 3, 4, 2}},
       [](const T& x) {
         return square(max_pool(x[0], {2, 2, 2}, {.stride = {1, 2, 1}}));
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{2, 2, 2}, {1, 2, 1}, {1, 1, 1}, {{0, 0}, {0, 0}, {0, 0}}}));
       },
       "nca>1b>1d>1"},
      {"pools with windows past the end",
       {{1, 2, 7}},
       [](const T& x) {
         const PoolOptions options{.stride = 3, .padding = 1, .ceil_mode = true};
         return square(max_pool(x[0], {2}, options)) * avg_pool(x[0], {2}, options);
       },
       [](const A& x) {
         const naive::PoolRule rule{{2}, {3}, {1}, {{1, 1}}, true};
         return square(naive::max_pool(x[0], rule)) * naive::avg_pool(x[0], rule);
       },
       "nca"},
      {"values of max_pool_with_indices",
       {{1, 2, 5, 4}},
       [](const T& x) {
         return square(max_pool_with_indices(x[0], {3, 2}, {.stride = 2, .padding = 1}).first);
       },
       [](const A& x) {
         return square(naive::max_pool(x[0], {{3, 2}, {2, 2}, {1, 1}, {{1, 1}, {1, 1}}}));
       },
       "n?c?ab"},
      {"interpolation between corners",
       {{1, 2, 3, 4}},
       [](const T& x) {
         return square(interpolate(x[0], {5, 6}, {.mode = Interpolation::linear, .align_corners = true}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {5, 6}, {.mode = Interpolation::linear, .align_corners = true}));
       },
       "ncab"},
      {"interpolation by a scale",
       {{1, 2, 5}},
       [](const T& x) { return square(interpolate(x[0], {8}, {.mode = Interpolation::linear, .scale = {1.7}})); },
       [](const A& x) {
         return square(naive::interpolate(x[0], {8}, {.mode = Interpolation::linear, .scale = {1.7}}));
       },
       "nc5"},
      {"antialiased cubic interpolation",
       {{1, 1, 7, 5}},
       [](const T& x) {
         return square(interpolate(x[0], {4, 3}, {.mode = Interpolation::cubic, .antialias = true}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {4, 3}, {.mode = Interpolation::cubic, .antialias = true}));
       },
       "ncab"},
      {"interpolation over three axes",
       {{1, 2, 2, 3, 2}},
       [](const T& x) {
         return square(interpolate(x[0], {3, 4, 3}, {.mode = Interpolation::linear}));
       },
       [](const A& x) {
         return square(naive::interpolate(x[0], {3, 4, 3}, {.mode = Interpolation::linear}));
       },
       "n?c?abd"},
      {"nearest grid_sample",
       {{1, 2, 3, 4}, {1, 2, 2, 2}},
       [](const T& x) { return square(grid_sample(x[0], x[1], {.mode = Interpolation::nearest})); },
       [](const A& x) { return square(naive::grid_sample(x[0], x[1], {.mode = Interpolation::nearest})); },
       "ncab nhw2"},
      {"grid_sample over three axes",
       {{1, 2, 2, 3, 4}, {1, 2, 1, 2, 3}},
       [](const T& x) { return grid_sample(x[0], x[1] * 0.05F + 0.1F); },
       [](const A& x) { return naive::grid_sample(x[0], x[1] * 0.05F + 0.1F, {}); },
       "n?c?abd nhw?l3"},
  };
}

}  // namespace eglantine::test
