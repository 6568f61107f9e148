#include "programs.hpp"

/// The heat equation on a square plate whose rim is held: explicit steps in the middle.
namespace eglantine::programs {

std::vector<Tensor> heat(Size size) {
  const int64_t n = size == Size::full ? 512 : 64;
  const Slice middle{1, -1}, before{0, -2}, after{2, {}};
  Tensor x = zeros({n, n}).index_put({0}, 1);
  for (int step = 0; step < 100; ++step) {
    const Tensor around = x(before, middle) + x(after, middle) + x(middle, before) + x(middle, after);
    x = x.index_put({middle, middle}, x(middle, middle) + 0.2 * (around - 4 * x(middle, middle)));
    x.eval();
  }
  return {mean(x), x(Slice{0, 8}, n / 2)};
}

}  // namespace eglantine::programs
