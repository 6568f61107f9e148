#include "programs.hpp"

/// Conway's game of life on a torus.
namespace eglantine::programs {

std::vector<Tensor> life(Size size) {
  const int64_t n = size == Size::full ? 1024 : 64;
  Tensor alive = scrambled({n, n}) < 0.35;
  for (int step = 0; step < 50; ++step) {
    Tensor neighbours = zeros({n, n}, DType::i32);
    for (int dy : {-1, 0, 1})
      for (int dx : {-1, 0, 1})
        if (dy != 0 || dx != 0) neighbours += roll(alive, {dy, dx}, {0, 1});
    alive = (neighbours == 3) | (alive & (neighbours == 2));
    alive.eval();
  }
  return {sum(alive), sum(alive[0])};
}

}  // namespace eglantine::programs
