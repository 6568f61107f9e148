#include "programs.hpp"

/// Bodies that attract one another, by leapfrog steps.
namespace eglantine::programs {

namespace {

Tensor acceleration(const Tensor& x, const Tensor& mass) {
  const Tensor apart = x.unsqueeze(0) - x.unsqueeze(1);
  const Tensor squared = sum(square(apart), 2) + 1e-2;
  return sum(apart * (mass / (squared * sqrt(squared))).unsqueeze(2), 1);
}

}  // namespace

std::vector<Tensor> n_body(Size size) {
  const int64_t n = size == Size::full ? 1024 : 96;
  const Tensor mass = scrambled({n}, 1) / n;
  Tensor x = scrambled({n, 3}) - 0.5, v = zeros({n, 3});
  for (int step = 0; step < 10; ++step) {
    v += 0.005 * acceleration(x, mass);
    x += 0.01 * v;
    v += 0.005 * acceleration(x, mass);
    eval({x, v});
  }
  return {sum(mass * sum(square(v), 1)) / 2, x[0]};
}

}  // namespace eglantine::programs
