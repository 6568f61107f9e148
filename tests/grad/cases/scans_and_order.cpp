#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

namespace {

/// 0, 1, 2, ... along the axis.
Tensor places(const Tensor& x, size_t axis) { return arange(0, static_cast<double>(x.shape()[axis])); }

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> scan_and_order_cases() {
  return {
      {"cumsum",
       {{3, 4}},
       [](const T& x) { return square(cumsum(x[0], 1)); },
       [](const A& x) { return square(naive::cumsum(x[0], 1)); },
       "a?b?..."},
      {"cumsum, exclusive in reverse",
       {{3, 4}},
       [](const T& x) { return square(cumsum(x[0], 0, true, true)) * x[0]; },
       [](const A& x) {
         return square(naive::cumsum(x[0], 0, {true, true})) * x[0];
       },
       "a?b?..."},
      {"cumprod",
       {{3, 4}},
       [](const T& x) { return cumprod(x[0] + 2, 1); },
       [](const A& x) { return naive::cumprod(x[0] + 2, 1); },
       "a?b?..."},
      {"cumprod in reverse",
       {{3, 4}},
       [](const T& x) { return cumprod(x[0], 0, false, true); },
       [](const A& x) {
         return naive::cumprod(x[0], 0, {false, true});
       },
       "a?b?..."},
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
       [](const A& x) { return square(naive::cummax(x[0], 1)); },
       "a?b?..."},
      {"cummin",
       {{5}},
       [](const T& x) { return square(cummin(x[0], 0, false, true)); },
       [](const A& x) {
         return square(naive::cummin(x[0], 0, {false, true}));
       },
       "a?..."},
      {"cummax, exclusive",
       {{5}},
       [](const T& x) { return cummax(x[0], 0, true).slice(0, 1) * arange(1, static_cast<double>(x[0].size())); },
       [](const A& x) {
         return naive::slice(naive::cummax(x[0], 0, {true}), 0, 1, {}, 1) * (iota(DType::f32, {x[0].size() - 1}) + 1);
       },
       "a>1"},
      {"logcumsumexp and diff",
       {{3, 5}},
       [](const T& x) { return logcumsumexp(x[0], 1) + square(diff(x[0], 1, 1).slice(1, 0, 1)); },
       [](const A& x) {
         const auto add = [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); };
         const Array difference = naive::slice(x[0], 1, 1, 2, 1) - naive::slice(x[0], 1, 0, 1, 1);
         return naive::scan(x[0], 1, {}, DType::f32, -INFINITY, add) + square(difference);
       },
       "a?b>1..."},
      {"sort",
       {{3, 5}},
       [](const T& x) { return square(sort(x[0], 1)) * places(x[0], 1); },
       [](const A& x) { return square(naive::sort(x[0], 1).keys) * iota(DType::f32, {x[0].shape[1]}); },
       "a?b?"},
      {"sort, descending",
       {{3, 5}},
       [](const T& x) { return exp(sort(x[0], 0, true)) * (places(x[0], 0) + 1).unsqueeze(1); },
       [](const A& x) {
         return each(naive::sort(x[0], 0, true).keys, std::exp) * (iota(DType::f32, {x[0].shape[0], 1}) + 1);
       },
       "a?b?"},
      {"topk",
       {{3, 5}},
       [](const T& x) { return square(topk(x[0], 2, 1).first); },
       [](const A& x) { return square(naive::topk(x[0], 2, 1).keys); },
       "a?b>1..."},
      {"topk of the smallest",
       {{4, 3}},
       [](const T& x) { return square(topk(x[0], 3, 0, false).first); },
       [](const A& x) { return square(naive::topk(x[0], 3, 0, false).keys); },
       "a>2b?..."},
      {"median",
       {{3, 5}},
       [](const T& x) { return square(median(x[0], 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.5, {1})); },
       "a?b..."},
      {"median of an even number",
       {{3, 4}},
       [](const T& x) { return square(median(x[0], 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.5, {1})); }},
      {"quantile",
       {{3, 5}},
       [](const T& x) { return square(quantile(x[0], 0.3, 1)); },
       [](const A& x) { return square(quantile_of(x[0], 0.3, {1})); },
       "a?b..."},
      {"sort_by_key",
       {{6}, {6}},
       [](const T& x) { return square(sort_by_key(x[0], x[1]).second) * places(x[0], 0); },
       [](const A& x) {
         return square(naive::at_places(x[1], naive::sort(x[0]).places)) * iota(DType::f32, x[0].shape);
       },
       "a? a"},
      {"sort_by_key of rows",
       {{3, 5}, {3, 5}},
       [](const T& x) { return square(sort_by_key(x[0], x[1]).second) * places(x[0], 1); },
       [](const A& x) {
         return square(naive::at_places(x[1], naive::sort(x[0]).places)) * iota(DType::f32, {x[0].shape[1]});
       },
       "a?b? ab"},
  };
}

}  // namespace eglantine::test
