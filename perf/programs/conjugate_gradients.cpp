#include "programs.hpp"

/// Poisson's equation on a square by conjugate gradients; the matrix is the five-point stencil, never stored.
namespace eglantine::programs {

namespace {

Tensor laplace(const Tensor& x) {
  const Tensor padded = x.pad({{1, 1}, {1, 1}});
  const Slice middle{1, -1}, before{0, -2}, after{2, {}};
  return 4 * x - padded(before, middle) - padded(after, middle) - padded(middle, before) - padded(middle, after);
}

}  // namespace

std::vector<Tensor> conjugate_gradients(Size size) {
  const int64_t n = size == Size::full ? 512 : 48;
  Tensor x = zeros({n, n}), r = scrambled({n, n}) - 0.5, p = r;
  Tensor rr = sum(square(r));
  for (int step = 0; step < 60; ++step) {
    const Tensor ap = laplace(p);
    const Tensor alpha = rr / sum(p * ap);
    x += alpha * p;
    r -= alpha * ap;
    const Tensor next = sum(square(r));
    p = r + next / rr * p;
    rr = next;
  }
  return {sqrt(rr), x(n / 2, Slice{0, 8})};
}

}  // namespace eglantine::programs
