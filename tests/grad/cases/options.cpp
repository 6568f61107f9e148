#include <algorithm>

#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_einsum.hpp"
#include "support/reference/naive_index.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

namespace {

double huber_of_half(double x, double y) {
  const double apart = std::abs(x - y);
  return apart <= 0.5 ? apart * apart / 2 : 0.5 * (apart - 0.25);
}
double binary_entropy(double x, double y) { return std::log1p(std::exp(x)) - x * y; }
double at_least_half(double x) { return std::max(x, 0.5); }

/// Where the place along axis 1 is above that along axis 0 by `least` at least, the square of x, else 0.
Array squares_above(const Array& x, int64_t least) {
  return generate(DType::f32, x.shape,
                  [&](const Dims& at) { return at[1] - at[0] >= least ? x.at(at) * x.at(at) : 0; });
}

const Array some_places{DType::i32, {2, 2}, {3, 0, 3, 1}};

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> option_cases() {
  return {
      {"einsum of a diagonal",
       {{3, 3}, {3, 2}},
       [](const T& x) {
         return einsum("ii,ij->j", {x[0], x[1]});
       },
       [](const A& x) {
         return naive::einsum({"ii", "ij"}, "j", {x[0], x[1]});
       },
       "i?i ij?"},
      {"einsum of what broadcasts",
       {{2, 1, 3}, {4, 3}},
       [](const T& x) {
         return square(einsum("...i,ji->...j", {x[0], x[1]}));
       },
       [](const A& x) {
         return square(naive::einsum({"abi", "ji"}, "abj", {x[0], x[1]}));
       },
       "a?b?i? j?i"},
      {"extremes of all elements and of the first axis",
       {{3, 4}},
       [](const T& x) { return square(max(x[0])) + min(x[0]) * ptp(x[0], 0); },
       [](const A& x) {
         return square(naive::max(x[0], {})) + naive::min(x[0], {}) * (naive::max(x[0], {0}) - naive::min(x[0], {0}));
       },
       "ab..."},
      {"logsumexp and prod of all elements",
       {{3, 4}},
       [](const T& x) {
         return logsumexp(x[0]) * prod(x[0] * 0.5F + 1, {0, -1}, true);
       },
       [](const A& x) {
         return naive::logsumexp(x[0], {}) * naive::prod(0.5 * x[0] + 1, {0, 1}, true);
       },
       "ab"},
      {"norm of all elements and of negative orders",
       {{3, 4}},
       [](const T& x) { return norm(x[0]) + norm(x[0], 0, false, -INFINITY) * norm(x[0] + 2, 1, true, -1); },
       [](const A& x) {
         return norm_of(x[0], {}, false, 2) + norm_of(x[0], {0}, false, -INFINITY) * norm_of(x[0] + 2, {1}, true, -1);
       },
       "ab>1"},
      {"median of all elements and quantile of columns",
       {{3, 4}},
       [](const T& x) { return median(x[0]) * quantile(x[0], 0.7, 0, true); },
       [](const A& x) { return quantile_of(x[0], 0.5, {}) * quantile_of(x[0], 0.7, {0}, true); },
       "ab..."},
      {"scans, exclusive and in reverse",
       {{3, 4}},
       [](const T& x) { return cumprod(x[0] + 2, 1, true) * logcumsumexp(x[0], 1, false, true); },
       [](const A& x) {
         const auto add = [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); };
         return naive::cumprod(x[0] + 2, 1, {true}) * naive::scan(x[0], 1, {false, true}, DType::f32, -INFINITY, add);
       },
       "a?b?..."},
      {"diff of diff",
       {{3, 5}},
       [](const T& x) { return square(diff(x[0], 2, 1)); },
       [](const A& x) {
         const int64_t last = x[0].shape[1];
         const auto part = [&](int64_t start) { return naive::slice(x[0], 1, start, last - 2 + start, 1); };
         return square(part(2) - 2 * part(1) + part(0));
       },
       "a?b>2..."},
      {"average by weights of an axis, corrected stddev",
       {{3, 4}, {4}},
       [](const T& x) {
         return average(x[0], x[1] + 2, 1, true) * stddev(x[0], {0, 1}, false, 1);
       },
       [](const A& x) {
         const Array weights = x[1] + 2, total = naive::sum(x[0] * weights, {1}, true);
         const double n = static_cast<double>(x[0].size());
         return total / naive::sum(weights, {}) * each(naive::var(x[0], {}) * (n / (n - 1)), std::sqrt);
       },
       "ab>2 b"},
      {"losses of each element, and their sum",
       {{3, 4}, {3, 4}},
       [](const T& x) {
         return huber_loss(x[0], x[1], 0.5, LossReduction::none) * mse_loss(x[0], x[1], LossReduction::sum) +
                square(binary_cross_entropy_with_logits(x[0], x[1] + 2, LossReduction::none));
       },
       [](const A& x) {
         return each(x[0], x[1], huber_of_half) * naive::sum(square(x[0] - x[1]), {}) +
                square(each(x[0], x[1] + 2, binary_entropy));
       },
       "a?b? ab"},
      {"cross_entropy along the first axis, one label ignored",
       {{3, 4}},
       [](const T& x) {
         const Tensor labels = Tensor::from({0, -1, 2, 1}, {4});
         return square(cross_entropy(x[0], labels, {.axis = 0, .ignore_index = -1, .reduction = LossReduction::none}));
       },
       [](const A& x) {
         const Array logarithms = log_softmax_reference(x[0], 0);
         const Dims labels{0, -1, 2, 1};
         return generate(DType::f32, {4}, [&](const Dims& at) {
           const int64_t label = labels[static_cast<size_t>(at[0])];
           return label < 0 ? 0 : std::pow(logarithms.at({label, at[0]}), 2);
         });
       },
       "c>24"},
      {"kron of two ranks, take by a matrix of places",
       {{2}, {3, 4}},
       [](const T& x) { return kron(x[0], take(x[1], upload(some_places), 1)); },
       [](const A& x) {
         const Array taken = naive::take(x[1], some_places, 1);
         return naive::reshape(naive::einsum({"k", "ijl"}, "ijkl", {x[0], taken}), {x[1].shape[0], 2, 2 * x[0].size()});
       },
       "a? b?c>3"},
      {"triangles and diagonals beside the main one",
       {{3, 3}},
       [](const T& x) { return square(triu(x[0], -1)) - square(tril(x[0], 1)) + exp(diag(diagonal(x[0], 1), 1)); },
       [](const A& x) {
         const Array placed = generate(DType::f32, x[0].shape,
                                       [&](const Dims& at) { return at[1] - at[0] == 1 ? std::exp(x[0].at(at)) : 1; });
         return squares_above(x[0], -1) - (square(x[0]) - squares_above(x[0], 2)) + placed;
       },
       "aa"},
      {"cosine_similarity of columns, short ones too",
       {{3, 4}, {3, 1}},
       [](const T& x) { return cosine_similarity(x[0], x[1], 0, 0.5); },
       [](const A& x) {
         const auto length = [](const Array& of) { return each(norm_of(of, {0}, false, 2), at_least_half); };
         return naive::sum(x[0] * x[1], {0}) / (length(x[0]) * length(x[1]));
       },
       "a>1b a1"},
  };
}

}  // namespace eglantine::test
