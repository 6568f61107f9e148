#include "programs.hpp"

/// Two layers of 3 x 3 convolutions with rectification and pooling, then a linear classifier.
namespace eglantine::programs {

namespace {

/// x (n, channels, height, width), w (channels * 9, out): a product with every window.
Tensor convolve(const Tensor& x, const Tensor& w) {
  const Tensor patches = windows(x, {2, 3}, {3, 3}).permute({0, 2, 3, 1, 4, 5});
  return matmul(flatten(patches, 3), w).permute({0, 3, 1, 2});
}

Tensor pool(const Tensor& x) { return max(windows(x, {2, 3}, {2, 2}, {2, 2}), {4, 5}); }

}  // namespace

std::vector<Tensor> convolutional_network(Size size) {
  const int64_t n = size == Size::full ? 256 : 8;
  const Tensor first = (scrambled({9, 16}, 1) - 0.5) * 0.5, second = (scrambled({16 * 9, 32}, 2) - 0.5) * 0.2;
  const Tensor last = (scrambled({32 * 25, 10}, 3) - 0.5) * 0.1;
  Tensor x = pool(relu(convolve(scrambled({n, 1, 28, 28}), first)));
  x = pool(relu(convolve(x, second)));
  const Tensor probabilities = softmax(matmul(flatten(x, 1), last), 1);
  return {mean(probabilities, 0), cross_entropy(log(probabilities), argmax(probabilities, 1))};
}

}  // namespace eglantine::programs
