#include <algorithm>

#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_remap.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> movement_cases() {
  return {
      {"permute",
       {{2, 3, 4}},
       [](const T& x) {
         return square(x[0].permute({2, 0, 1}));
       },
       [](const A& x) {
         return square(naive::permute(x[0], {2, 0, 1}));
       },
       "a?b?c?"},
      {"reshape",
       {{2, 6}},
       [](const T& x) {
         return square(x[0].reshape({3, 4, -1}));
       },
       [](const A& x) {
         return square(naive::reshape(x[0], {3, 4, x[0].size() / 12}));
       },
       "26..."},
      {"slice",
       {{5, 6}},
       [](const T& x) { return square(x[0].slice(0, 1, 4).slice(1, 2, 5)); },
       [](const A& x) {
         return square(naive::crop(x[0], {{1, 4}, {2, 5}}));
       },
       "a>3b>4"},
      {"steps",
       {{7, 6}},
       [](const T& x) { return square(x[0].slice(0, 6, 0, -2)); },
       [](const A& x) { return square(naive::slice(x[0], 0, 6, 0, -2)); },
       "a>6b?..."},
      {"broadcast",
       {{3, 1}},
       [](const T& x) {
         return exp(broadcast_to(x[0], {2, x[0].shape()[0], 4}));
       },
       [](const A& x) {
         return each(naive::expand(x[0], {2, x[0].shape[0], 4}), std::exp);
       },
       "a?1"},
      {"flip",
       {{4, 3}},
       [](const T& x) {
         return x[0].flip({0, 1}) * arange(0, static_cast<double>(x[0].size())).reshape(x[0].shape());
       },
       [](const A& x) {
         return naive::flip(x[0], {0, 1}) * iota(DType::f32, x[0].shape);
       },
       "a?b?..."},
      {"windows",
       {{7, 6}},
       [](const T& x) {
         return square(windows(x[0], {0, 1}, {3, 2}, {1, 2}));
       },
       [](const A& x) {
         return square(naive::windows(x[0], {0, 1}, {3, 2}, {1, 2}, {1, 1}));
       },
       "a>2b>1"},
      {"diagonal",
       {{4, 5}},
       [](const T& x) { return square(diagonal(x[0])); },
       [](const A& x) {
         const Dims shorter{std::min(x[0].shape[0], x[0].shape[1])};
         return generate(DType::f32, shorter, [&](const Dims& at) { return std::pow(x[0].at({at[0], at[0]}), 2); });
       },
       "a?b?"},
      {"pad",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{1, 2}, {0, 1}}, 2));
       },
       [](const A& x) {
         return square(naive::pad(x[0], {{1, 2}, {0, 1}}, PadMode::constant, 2));
       },
       "a?b?"},
      {"padding",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{1, 2}, {0, 1}}, PadMode::reflect)) + pad(x[0], {{2, 1}, {1, 0}}, PadMode::edge);
       },
       [](const A& x) {
         return square(naive::pad(x[0], {{1, 2}, {0, 1}}, PadMode::reflect)) +
                naive::pad(x[0], {{2, 1}, {1, 0}}, PadMode::edge);
       },
       "a>2b>1"},
      {"wrapping padding",
       {{3, 4}},
       [](const T& x) {
         return square(pad(x[0], {{2, 1}, {3, 4}}, PadMode::wrap));
       },
       [](const A& x) {
         return square(naive::pad(x[0], {{2, 1}, {3, 4}}, PadMode::wrap));
       },
       "a>1b>3"},
      {"roll",
       {{3, 4}},
       [](const T& x) { return square(roll(x[0], Axes{1}, Axes{1}) + x[0]); },
       [](const A& x) {
         return square(naive::roll(x[0], {0, 1}) + x[0]);
       },
       "a?b?"},
      {"repeat",
       {{3, 2}},
       [](const T& x) { return square(repeat(x[0], 3, 0)); },
       [](const A& x) {
         return generate(DType::f32, {3 * x[0].shape[0], x[0].shape[1]}, [&](const Dims& at) {
           return std::pow(x[0].at({at[0] / 3, at[1]}), 2);
         });
       },
       "a?b?"},
      {"concatenate",
       {{3, 2}, {1, 2}},
       [](const T& x) {
         return square(concatenate({x[0], x[1], x[0]}, 0));
       },
       [](const A& x) {
         return square(naive::concatenate({x[0], x[1], x[0]}, 0));
       },
       "a?c? b?c"},
      {"stack",
       {{3}, {3}},
       [](const T& x) {
         return exp(stack({x[0], x[1]}, 1));
       },
       [](const A& x) {
         return each(naive::stack({x[0], x[1]}, 1), std::exp);
       },
       "a?... a?..."},
      {"rot90, tile, tril and diag",
       {{3, 3}},
       [](const T& x) {
         return square(rot90(x[0]) + tril(x[0]) + diag(diag(x[0]))) +
                tile(x[0], {2, 1}).slice(0, 1, x[0].shape()[0] + 1);
       },
       [](const A& x) {
         const int64_t n = x[0].shape[0];
         return generate(DType::f32, {n, n}, [&](const Dims& at) {
           const int64_t i = at[0], j = at[1];
           const double here = x[0].at({i, j}), turned = x[0].at({j, n - 1 - i});
           return std::pow(turned + (j <= i ? here : 0) + (i == j ? here : 0), 2) + x[0].at({(i + 1) % n, j});
         });
       },
       "aa"},
      {"pixel_shuffle and depth_to_space",
       {{1, 4, 2, 3}},
       [](const T& x) { return square(pixel_shuffle(x[0], 2)) + depth_to_space(x[0], 2); },
       [](const A& x) {
         const Dims& from = x[0].shape;
         return generate(DType::f32, {from[0], 1, 2 * from[2], 2 * from[3]}, [&](const Dims& at) {
           const double v = x[0].at({at[0], at[2] % 2 * 2 + at[3] % 2, at[2] / 2, at[3] / 2});
           return v * v + v;
         });
       },
       "n?4a?b?"},
      {"as_strided",
       {{3, 4}},
       [](const T& x) {
         return square((x[0] * 1).as_strided({3, 3}, {2, 1}, 1));
       },
       [](const A& x) {
         return generate(DType::f32, {3, 3}, [&](const Dims& at) {
           return std::pow(x[0].values[static_cast<size_t>(1 + 2 * at[0] + at[1])], 2);
         });
       }},
  };
}

}  // namespace eglantine::test
