#include "programs.hpp"

/// Logistic regression by gradient descent.
namespace eglantine::programs {

std::vector<Tensor> logistic_regression(Size size) {
  const int64_t n = size == Size::full ? 65536 : 2048, d = 64;
  const Tensor x = scrambled({n, d}) - 0.5, truth = scrambled({d}, 1) - 0.5;
  const Tensor y = matmul(x, truth) > 0;
  Tensor w = zeros({d}), bias = zeros({});
  for (int step = 0; step < 50; ++step) {
    const Tensor error = sigmoid(matmul(x, w) + bias) - y;
    w -= 2 * matmul(x.transpose(0, 1), error) / n;
    bias -= 2 * mean(error);
  }
  return {w, bias, mean(((matmul(x, w) + bias) > 0) == y)};
}

}  // namespace eglantine::programs
