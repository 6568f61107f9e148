#include "programs.hpp"

/// Steps until z -> z^2 + c leaves the disc of radius 2.
namespace eglantine::programs {

std::vector<Tensor> mandelbrot(Size size) {
  const int64_t n = size == Size::full ? 512 : 64;
  const Tensor cy = linspace(-1.25F, 1.25F, n).unsqueeze(1), cx = linspace(-2, 0.5F, n);
  Tensor x = zeros({n, n}), y = zeros({n, n}), steps = zeros({n, n}, DType::i32);
  for (int step = 0; step < 64; ++step) {
    const Tensor inside = square(x) + square(y) <= 4;
    const Tensor next = square(x) - square(y) + cx;
    y = where(inside, 2 * x * y + cy, y);
    x = where(inside, next, x);
    steps += inside;
  }
  return {mean(steps.astype(DType::f32)), steps(n / 2, Slice{0, 8})};
}

}  // namespace eglantine::programs
