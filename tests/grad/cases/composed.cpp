#include "eglantine/ops.hpp"
#include "grad/cases.hpp"
#include "support/reference/arithmetic.hpp"
#include "support/reference/naive_statistics.hpp"

namespace eglantine::test {

namespace {

/// Of labels of a table of logarithms, their negative mean.
Array loss_of_labels(const Array& logarithms, const Dims& labels) {
  double total = 0;
  for (size_t i = 0; i < labels.size(); ++i) total -= logarithms.at({static_cast<int64_t>(i), labels[i]});
  return {DType::f32, {}, {total / static_cast<double>(labels.size())}};
}

/// The mean over the pairs of elements.
Array mean_loss(const Array& x, const Array& y, double (*loss)(double, double)) {
  return naive::mean(each(x, y, loss), {});
}

double huber(double x, double y) { return std::abs(x - y) <= 1 ? (x - y) * (x - y) / 2 : std::abs(x - y) - 0.5; }
double entropy_of_logits(double x, double y) { return std::log1p(std::exp(x)) - x * y; }
double divergence(double x, double y) { return y * (std::log(y) - x); }

}  // namespace

using T = Tensors;
using A = Arrays;

std::vector<DerivativeCase> composed_cases() {
  return {
      {"activations",
       {{6}},
       [](const T& x) {
         const Tensor high = x[0] + 2, low = x[0] - 2;
         return square(elu(low) + celu(low) + leaky_relu(low) + hardtanh(x[0] * 0.5F) + softshrink(high) +
                       hardshrink(high) + threshold(high, 0.5F, 0) + nan_to_num(high));
       },
       [](const A& x) {
         const Array high = x[0] + 2, low = x[0] - 2;
         return square(2 * each(low, std::expm1) + 0.01F * low + 0.5 * x[0] + (high - 0.5) + 3 * high);
       },
       "a?..."},
      {"lerp",
       {{4}, {4}, {4}},
       [](const T& x) { return lerp(x[0], x[1], x[2]); },
       [](const A& x) { return x[0] + (x[1] - x[0]) * x[2]; },
       "a? a a"},
      {"powers",
       {{6}, {6}},
       [](const T& x) { return pow(x[0] + 3, x[1]); },
       [](const A& x) { return each(x[0] + 3, x[1], std::pow); },
       "a? a"},
      {"broadcast operands",
       {{3, 1}, {2, 1, 4}},
       [](const T& x) { return x[0] * x[1] / (x[0] + 3); },
       [](const A& x) { return x[0] * x[1] / (x[0] + 3); },
       "a?1 b?1c?"},
      {"cross_entropy",
       {{4, 3}},
       [](const T& x) {
         return cross_entropy(x[0], Tensor::from({0, 2, 1, 1}, {4}));
       },
       [](const A& x) {
         return loss_of_labels(log_softmax_reference(x[0], 1), {0, 2, 1, 1});
       },
       "4c>2"},
      {"smoothed cross_entropy",
       {{4, 3}},
       [](const T& x) {
         return cross_entropy(x[0], Tensor::from({0, 2, 1, 1}, {4}), {.label_smoothing = 0.25});
       },
       [](const A& x) {
         const Array logarithms = log_softmax_reference(x[0], 1);
         return 0.75 * loss_of_labels(logarithms, {0, 2, 1, 1}) - 0.25 * naive::mean(logarithms, {});
       },
       "4c>2"},
      {"losses",
       {{3, 4}, {3, 4}},
       [](const T& x) {
         return mse_loss(x[0], x[1]) + huber_loss(3 * x[0], x[1]) + square(l1_loss(x[0] + 3, x[1])) +
                binary_cross_entropy_with_logits(x[0], sigmoid(x[1])) + kl_div(log_softmax(x[0], 1), softmax(x[1], 1)) +
                nll_loss(log_softmax(x[0], 1), Tensor::from({1, 0, 3}, {3}));
       },
       [](const A& x) {
         const Array logarithms = log_softmax_reference(x[0], 1), shares = 1 / (1 + each(0 - x[1], std::exp));
         return naive::mean(square(x[0] - x[1]), {}) + mean_loss(3 * x[0], x[1], huber) +
                square(naive::mean(x[0] + 3 - x[1], {})) + mean_loss(x[0], shares, entropy_of_logits) +
                mean_loss(logarithms, softmax_reference(x[1], 1), divergence) + loss_of_labels(logarithms, {1, 0, 3});
       },
       "3c>3 3c"},
      {"cosine_similarity",
       {{3, 4}, {3, 4}},
       [](const T& x) { return cosine_similarity(x[0] + 2, x[1]); },
       [](const A& x) {
         return naive::sum((x[0] + 2) * x[1], {1}) / (norm_of(x[0] + 2, {1}, false, 2) * norm_of(x[1], {1}, false, 2));
       },
       "a?b>1 ab"},
      {"perceptron",
       {{5, 4}, {4, 6}, {6}, {6, 3}},
       [](const T& x) { return log_softmax(matmul(tanh(matmul(x[0], x[1]) + x[2]), x[3]), 1); },
       [](const A& x) {
         return log_softmax_reference(naive::matmul(each(naive::matmul(x[0], x[1]) + x[2], std::tanh), x[3]), 1);
       },
       "n?a? ab? b bc"},
      {"weighted losses of labels",
       {{4, 3}, {3}},
       [](const T& x) {
         const Tensor labels = Tensor::from({0, 2, 1, 1}, {4}), weight = x[1] + 2;
         return cross_entropy(x[0], labels, {.weight = weight}) +
                square(nll_loss(log_softmax(x[0], 1), labels, {.weight = weight}));
       },
       [](const A& x) {
         const Array logarithms = log_softmax_reference(x[0], 1);
         double loss = 0, weights = 0;
         const Dims labels{0, 2, 1, 1};
         for (size_t i = 0; i < labels.size(); ++i) {
           const double weight = x[1].at({labels[i]}) + 2;
           loss -= weight * logarithms.at({static_cast<int64_t>(i), labels[i]});
           weights += weight;
         }
         const Array mean{DType::f32, {}, {loss / weights}};
         return mean + square(mean);
       },
       "4c>2 c"},
  };
}

}  // namespace eglantine::test
