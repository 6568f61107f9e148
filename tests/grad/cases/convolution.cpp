#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_convolution.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> convolution_cases() {
  return {
      {"conv",
       {{1, 2, 5, 6}, {3, 2, 3, 2}},
       [](const T& x) { return conv(x[0], x[1], {.stride = 2, .padding = 1}); },
       [](const A& x) {
         return naive::conv(x[0], x[1], {{2, 2}, {1, 1}, {{1, 1}, {1, 1}}});
       },
       "n?cab oc32"},
      {"conv of groups",
       {{2, 4, 5}, {6, 2, 3}},
       [](const T& x) { return conv(x[0], x[1], {.groups = 2}); },
       [](const A& x) {
         return naive::conv(x[0], x[1], {{1}, {1}, {{0, 0}}, 2});
       },
       "n?4a>2 623"},
      {"conv of each channel",
       {{2, 3, 7}, {3, 1, 3}, {3}},
       [](const T& x) {
         return square(conv(x[0], x[1], {.padding = {{2, 1}}, .dilation = 2, .groups = 3, .bias = x[2]}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1}, {2}, {{2, 1}}, 3}, x[2]));
       },
       "n?3a>1 313 3"},
      {"conv over three axes",
       {{1, 2, 3, 4, 3}, {2, 2, 2, 3, 2}, {2}},
       [](const T& x) {
         return square(
             conv(x[0], x[1],
                  {.stride = {1, 2, 1}, .padding = {{0, 1}, {1, 1}, {0, 0}}, .dilation = {2, 1, 1}, .bias = x[2]}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1, 2, 1}, {2, 1, 1}, {{0, 1}, {1, 1}, {0, 0}}}, x[2]));
       },
       "n?ca>1bd>1 oc232 o"},
      {"conv of groups over three axes",
       {{2, 4, 2, 3, 3}, {4, 2, 1, 2, 2}},
       [](const T& x) {
         return square(conv(x[0], x[1], {.stride = {1, 1, 2}, .groups = 2}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1, 1, 2}, {1, 1, 1}, {{0, 0}, {0, 0}, {0, 0}}, 2}));
       },
       "n?4ab>1d>1 42122"},
      {"conv_transpose",
       {{1, 3, 4}, {3, 2, 3}},
       [](const T& x) { return conv_transpose(x[0], x[1], {.stride = 2}); },
       [](const A& x) {
         return naive::conv_transpose(x[0], x[1], {{2}, {1}, {{0, 0}}}, {2 * x[0].shape[2] + 1});
       },
       "n?ca co3"},
      {"conv_transpose of groups",
       {{2, 4, 3, 2}, {4, 2, 2, 3}, {4}},
       [](const T& x) {
         return square(conv_transpose(
             x[0], x[1],
             {.stride = {2, 1}, .padding = {{1, 0}, {0, 1}}, .groups = 2, .output_padding = {1, 0}, .bias = x[2]}));
       },
       [](const A& x) {
         const Dims lengths{2 * x[0].shape[2], x[0].shape[3] + 1};
         return square(naive::conv_transpose(x[0], x[1], {{2, 1}, {1, 1}, {{1, 0}, {0, 1}}, 2}, lengths, x[2]));
       },
       "n?4ab 4223 4"},
      {"conv_transpose over three axes",
       {{1, 2, 2, 3, 2}, {2, 2, 2, 2, 3}},
       [](const T& x) {
         return square(conv_transpose(x[0], x[1], {.stride = {2, 1, 2}, .padding = {{1, 0}, {0, 0}, {0, 1}}}));
       },
       [](const A& x) {
         const Dims& from = x[0].shape;
         return square(naive::conv_transpose(x[0], x[1], {{2, 1, 2}, {1, 1, 1}, {{1, 0}, {0, 0}, {0, 1}}},
                                             {2 * from[2] - 1, from[3] + 1, 2 * from[4]}));
       },
       "n?cabd co223"},
  };
}

}  // namespace eglantine::test
