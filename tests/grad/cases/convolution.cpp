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
       }},
      {"conv of groups",
       {{2, 4, 5}, {6, 2, 3}},
       [](const T& x) { return conv(x[0], x[1], {.groups = 2}); },
       [](const A& x) {
         return naive::conv(x[0], x[1], {{1}, {1}, {{0, 0}}, 2});
       }},
      {"conv of each channel",
       {{2, 3, 7}, {3, 1, 3}, {3}},
       [](const T& x) {
         return square(conv(x[0], x[1], {.padding = {{2, 1}}, .dilation = 2, .groups = 3, .bias = x[2]}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1}, {2}, {{2, 1}}, 3}, x[2]));
       }},
      {"conv over three axes",
       {{1, 2, 3, 4, 3}, {2, 2, 2, 3, 2}, {2}},
       [](const T& x) {
         return square(
             conv(x[0], x[1],
                  {.stride = {1, 2, 1}, .padding = {{0, 1}, {1, 1}, {0, 0}}, .dilation = {2, 1, 1}, .bias = x[2]}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1, 2, 1}, {2, 1, 1}, {{0, 1}, {1, 1}, {0, 0}}}, x[2]));
       }},
      {"conv of groups over three axes",
       {{2, 4, 2, 3, 3}, {4, 2, 1, 2, 2}},
       [](const T& x) {
         return square(conv(x[0], x[1], {.stride = {1, 1, 2}, .groups = 2}));
       },
       [](const A& x) {
         return square(naive::conv(x[0], x[1], {{1, 1, 2}, {1, 1, 1}, {{0, 0}, {0, 0}, {0, 0}}, 2}));
       }},
      {"conv_transpose",
       {{1, 3, 4}, {3, 2, 3}},
       [](const T& x) { return conv_transpose(x[0], x[1], {.stride = 2}); },
       [](const A& x) {
         return naive::conv_transpose(x[0], x[1], {{2}, {1}, {{0, 0}}}, {9});
       }},
      {"conv_transpose of groups",
       {{2, 4, 3, 2}, {4, 2, 2, 3}, {4}},
       [](const T& x) {
         return square(conv_transpose(
             x[0], x[1],
             {.stride = {2, 1}, .padding = {{1, 0}, {0, 1}}, .groups = 2, .output_padding = {1, 0}, .bias = x[2]}));
       },
       [](const A& x) {
         return square(naive::conv_transpose(x[0], x[1], {{2, 1}, {1, 1}, {{1, 0}, {0, 1}}, 2}, {6, 3}, x[2]));
       }},
      {"conv_transpose over three axes",
       {{1, 2, 2, 3, 2}, {2, 2, 2, 2, 3}},
       [](const T& x) {
         return square(conv_transpose(x[0], x[1], {.stride = {2, 1, 2}, .padding = {{1, 0}, {0, 0}, {0, 1}}}));
       },
       [](const A& x) {
         return square(naive::conv_transpose(x[0], x[1], {{2, 1, 2}, {1, 1, 1}, {{1, 0}, {0, 0}, {0, 1}}}, {3, 4, 4}));
       }},
  };
}

}  // namespace eglantine::test
