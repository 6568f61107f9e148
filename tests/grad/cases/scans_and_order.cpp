#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> scan_and_order_cases() {
  return {
      {"cumsum",
       {{3, 4}},
       [](const T& x) { return square(cumsum(x[0], 1)); },
       [](const A& x) { return square(naive::cumsum(x[0], 1)); }},
      {"cumsum, exclusive in reverse",
       {{3, 4}},
       [](const T& x) { return square(cumsum(x[0], 0, true, true)) * x[0]; },
       [](const A& x) {
         return square(naive::cumsum(x[0], 0, {true, true})) * x[0];
       }},
      {"cumprod",
       {{3, 4}},
       [](const T& x) { return cumprod(x[0] + 2, 1); },
       [](const A& x) { return naive::cumprod(x[0] + 2, 1); }},
      {"cumprod in reverse",
       {{3, 4}},
       [](const T& x) { return cumprod(x[0], 0, false, true); },
       [](const A& x) {
         return naive::cumprod(x[0], 0, {false, true});
       }},
      {"cumprod of zeros",
       {{6}},
       [](const T& x) {
         return cumprod(x[0] * Tensor::from({1, 1, 0, 1, 0, 1}, {6}), 0);
       },
       [](const A& x) {
         return naive::cumprod(x[0] * Array{DType::f32, {6}, {1, 1, 0, 1, 0, 1}}, 0);
       }},
      {"cummax",
       {{3, 4}},
       [](const T& x) { return square(cummax(x[0], 1)); },
       [](const A& x) { return square(naive::cummax(x[0], 1)); }},
      {"cummin",
       {{5}},
       [](const T& x) { return square(cummin(x[0], 0, false, true)); },
       [](const A& x) {
         return square(naive::cummin(x[0], 0, {false, true}));
       }},
      {"cummax, exclusive",
       {{5}},
       [](const T& x) { return cummax(x[0], 0, true).slice(0, 1) * arange(1, 5); },
       [](const A& x) {
         return naive::slice(naive::cummax(x[0], 0, {true}), 0, 1, {}, 1) * (iota(DType::f32, {4}) + 1);
       }},
      {"logcumsumexp and diff",
       {{3, 5}},
       [](const T& x) { return logcumsumexp(x[0], 1) + square(diff(x[0], 1, 1).slice(1, 0, 1)); },
       [](const A& x) {
         const auto add = [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); };
         const Array difference = naive::slice(x[0], 1, 1, 2, 1) - naive::slice(x[0], 1, 0, 1, 1);
         return naive::scan(x[0], 1, {}, DType::f32, -INFINITY, add) + square(difference);
       }},
      {"sort",
       {{3, 5}},
       [](const T& x) { return square(sort(x[0], 1)) * arange(0, 5); },
       [](const A& x) { return square(naive::sort(x[0], 1).keys) * iota(DType::f32, {5}); }},
      {"sort, descending",
       {{3, 5}},
       [](const T& x) { return exp(sort(x[0], 0, true)) * arange(1, 4).unsqueeze(1); },
       [](const A& x) {
         return each(naive::sort(x[0], 0, true).keys, std::exp) * (iota(DType::f32, {3, 1}) + 1);
       }},
      {"topk",
       {{3, 5}},
       [](const T& x) { return square(topk(x[0], 2, 1).first); },
       [](const A& x) { return square(naive::topk(x[0], 2, 1).keys); }},
      {"topk of the smallest",
       {{4, 3}},
       [](const T& x) { return square(topk(x[0], 3, 0, false).first); },
       [](const A& x) { return square(naive::topk(x[0], 3, 0, false).keys); }},
      {"median",
       {{3, 5}},
       [](const T& x) { return square(median(x[0], 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.5, {1})); }},
      {"median of an even number",
       {{3, 4}},
       [](const T& x) { return square(median(x[0], 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.5, {1})); }},
      {"quantile",
       {{3, 5}},
       [](const T& x) { return square(quantile(x[0], 0.3, 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.3, {1})); }},
      {"sort_by_key",
       {{6}, {6}},
       [](const T& x) { return square(sort_by_key(x[0], x[1]).second) * arange(0, 6); },
       [](const A& x) { return square(naive::at_places(x[1], naive::sort(x[0]).places)) * iota(DType::f32, {6}); }},
      {"sort_by_key of rows",
       {{3, 5}, {3, 5}},
       [](const T& x) { return square(sort_by_key(x[0], x[1]).second) * arange(0, 5); },
       [](const A& x) { return square(naive::at_places(x[1], naive::sort(x[0]).places)) * iota(DType::f32, {5}); }},
  };
}

}  // namespace eglantine::test
