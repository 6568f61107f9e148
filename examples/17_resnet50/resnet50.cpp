#include "resnet50.hpp"

#include <cmath>

using namespace eglantine;

namespace resnet50 {

namespace {

constexpr float eps = 1e-5F;

/// One number for each channel of a result.
Tensor by_channel(const Tensor& x) { return x.reshape({x.size(), 1, 1, 1}); }

}  // namespace

Tensor Normalised::operator()(const Tensor& x) const {
  return batch_norm(conv(x, w, options), mean, var, scale, shift, eps);
}

Convolution folded(const Normalised& layer) {
  const Tensor s = layer.scale * rsqrt(layer.var + eps);
  Convolution result{(layer.w * by_channel(s)).eval(), layer.options};
  result.options.bias = (layer.shift - layer.mean * s).eval();
  return result;
}

Tensor Weights::numbers(const Shape& shape, float low, float high) {
  return (uniform(shape, next(), DType::f32, device_) * (high - low) + low).eval();
}

Tensor Weights::normals(const Shape& shape, float deviation) {
  return (normal(shape, next(), DType::f32, device_) * deviation).eval();
}

Normalised Weights::convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, float gain) {
  const float deviation = std::sqrt(2.0F / static_cast<float>(in * kernel * kernel));
  return {normals({out, in, kernel, kernel}, deviation),
          numbers({out}, -0.1F, 0.1F),
          numbers({out}, 0.5F, 1.5F),
          numbers({out}, 0.8F * gain, 1.2F * gain),
          numbers({out}, -0.1F, 0.1F),
          {.stride = stride, .padding = kernel / 2}};
}

Bottleneck::Bottleneck(Weights& weights, int64_t in, int64_t width, int64_t stride)
    : reduce(folded(weights.convolution(in, width, 1, 1))),
      middle(folded(weights.convolution(width, width, 3, stride))),
      expand(folded(weights.convolution(width, 4 * width, 1, 1, 0.25F))) {
  if (in != 4 * width) shortcut = folded(weights.convolution(in, 4 * width, 1, stride));
}

Tensor Bottleneck::operator()(const Tensor& x) const {
  const Tensor residual = shortcut ? (*shortcut)(x) : x;
  return relu(expand(relu(middle(relu(reduce(x))))) + residual);
}

Network::Network(uint64_t seed, const Device& device) {
  Weights weights(seed, device);
  stem_ = folded(weights.convolution(3, 64, 7, 2));
  int64_t channels = 64, width = 64;
  for (const int count : {3, 4, 6, 3}) {
    for (int i = 0; i < count; ++i) {
      blocks_.emplace_back(weights, channels, width, i == 0 && width > 64 ? 2 : 1);
      channels = 4 * width;
    }
    width *= 2;
  }
  head_ = weights.normals({channels, classes}, 1 / std::sqrt(static_cast<float>(channels)));
  bias_ = weights.numbers({classes}, -0.1F, 0.1F);
}

Tensor Network::operator()(const Tensor& pictures) const {
  Tensor x = max_pool(relu(stem_(pictures)), 3, {.stride = 2, .padding = 1});
  for (const Bottleneck& block : blocks_) x = block(x);
  return matmul(mean(x, {2, 3}), head_) + bias_;
}

}  // namespace resnet50
