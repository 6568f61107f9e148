#include <cmath>

#include "programs.hpp"

/// A transformer block: attention of several heads, then two linear layers, both with residuals and layer norms.
namespace eglantine::programs {

namespace {

Tensor weights(int64_t in, int64_t out, uint32_t salt) {
  return (scrambled({in, out}, salt) - 0.5) * (2 / std::sqrt(static_cast<float>(in)));
}

Tensor attend(const Tensor& x, int64_t heads) {
  const int64_t batch = x.shape()[0], length = x.shape()[1], width = x.shape()[2];
  const auto split = [&](uint32_t salt) {
    return matmul(x, weights(width, width, salt)).reshape({batch, length, heads, width / heads}).transpose(1, 2);
  };
  const Tensor q = split(1), k = split(2), v = split(3);
  const Tensor scores = matmul(q, k.transpose(-1, -2)) / std::sqrt(static_cast<float>(width / heads));
  const Tensor seen = tri(length).astype(DType::boolean);
  const Tensor mixed = matmul(softmax(where(seen, scores, -INFINITY), -1), v);
  return matmul(mixed.transpose(1, 2).reshape(x.shape()), weights(width, width, 4));
}

}  // namespace

std::vector<Tensor> transformer_block(Size size) {
  const int64_t batch = size == Size::full ? 8 : 1, length = size == Size::full ? 256 : 32, width = 256;
  Tensor x = scrambled({batch, length, width}) - 0.5;
  x += attend(layer_norm(x, -1), 8);
  x += matmul(gelu(matmul(layer_norm(x, -1), weights(width, 4 * width, 5))), weights(4 * width, width, 6));
  return {mean(square(x)), x(0, -1, Slice{0, 8})};
}

}  // namespace eglantine::programs
