#include "programs.hpp"

/// Lloyd's k-means: each point joins its nearest centre, each centre moves to the mean of its points.
namespace eglantine::programs {

std::vector<Tensor> kmeans(Size size) {
  const int64_t n = size == Size::full ? 65536 : 2048, d = 16, k = 32;
  const Tensor x = scrambled({n, d});
  Tensor centres = x[Slice{0, k}], label;
  for (int step = 0; step < 10; ++step) {
    const Tensor distance = sum(square(centres), 1) - 2 * matmul(x, centres.transpose(0, 1));
    label = argmin(distance, 1);
    const Tensor count = bincount(label, {}, k).unsqueeze(1);
    centres = where(count > 0, segment_sum(x, label, k) / maximum(count, 1), centres);
  }
  return {sum(square(x - take(centres, label, 0))), centres[0]};
}

}  // namespace eglantine::programs
