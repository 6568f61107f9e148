#pragma once

#include <eglantine/eglantine.hpp>
#include <optional>
#include <vector>

/// ResNet-50 for inference (He and others, "Deep residual learning for image recognition", 2016; strides lie on the 3x3
/// convolutions, as in torchvision's), with random weights. Each batch normalisation is folded into the convolution
/// before it; bias, residual and relu are part of that convolution's kernel.
namespace resnet50 {

/// A convolution whose results are normalised with known statistics, before and after folding.
struct Normalised {
  eglantine::Tensor w, mean, var, scale, shift;
  eglantine::ConvOptions options;

  eglantine::Tensor operator()(const eglantine::Tensor& x) const;
};

/// A convolution with a bias.
struct Convolution {
  eglantine::Tensor w;
  eglantine::ConvOptions options;

  eglantine::Tensor operator()(const eglantine::Tensor& x) const { return conv(x, w, options); }
};

/// batch_norm(conv(x, w)) is conv(x, w * s) + b.
Convolution folded(const Normalised& layer);

/// Makes layers with numbers that are the same wherever they are made, but for rounding.
class Weights {
 public:
  Weights(uint64_t seed, const eglantine::Device& device) : seed_(seed), device_(device) {}

  /// gain: of the normalisation's scale.
  Normalised convolution(int64_t in, int64_t out, int64_t kernel, int64_t stride, float gain = 1);
  eglantine::Tensor numbers(const eglantine::Shape& shape, float low, float high);
  eglantine::Tensor normals(const eglantine::Shape& shape, float deviation);

 private:
  uint64_t next() { return eglantine::split_seed(seed_, count_++); }

  uint64_t seed_, count_ = 0;
  eglantine::Device device_;
};

/// relu(f(x) + x), f three convolutions; where the shape changes, of a convolution of x instead of x.
struct Bottleneck {
  Convolution reduce, middle, expand;
  std::optional<Convolution> shortcut;

  Bottleneck(Weights& weights, int64_t in, int64_t width, int64_t stride);
  eglantine::Tensor operator()(const eglantine::Tensor& x) const;
};

class Network {
 public:
  static constexpr int64_t classes = 1000;

  explicit Network(uint64_t seed, const eglantine::Device& device = eglantine::Device::current());

  /// Pictures (n, 3, height, width) to scores (n, classes).
  eglantine::Tensor operator()(const eglantine::Tensor& pictures) const;

 private:
  Convolution stem_;
  std::vector<Bottleneck> blocks_;
  eglantine::Tensor head_, bias_;
};

}  // namespace resnet50
