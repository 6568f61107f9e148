#pragma once

#include <cmath>
#include <vector>

#include "eglantine/nn.hpp"
#include "support/compare.hpp"

/// Layers of known weights, to be compared with what PyTorch makes of the same.
namespace eglantine::test {

/// Element i is sin(0.7 i + phase).
inline Tensor wave(const Shape& shape, double phase) {
  std::vector<double> values;
  for (int64_t i = 0; i < shape.elements(); ++i) values.push_back(std::sin(0.7 * static_cast<double>(i) + phase));
  return Tensor::from(values, shape);
}

/// The layer whose tensors are, in the order of their paths, waves of phases 0, 0.1, 0.2...
template <class Layer>
Layer with_waves(Layer layer) {
  Parameters waves;
  for (const auto& [path, x] : nn::parameters(layer))
    waves.emplace(path, wave(x.shape(), 0.1 * static_cast<double>(waves.size())));
  nn::load(layer, waves);
  return layer;
}

constexpr Tolerance of_layers{0, 1e-5, 1e-5};

/// All elements, in row-major order.
inline void expect_elements(const Tensor& x, const std::vector<double>& expected) {
  EXPECT_TRUE(matches(x, Array{DType::f32, dims(x.shape()), expected}, of_layers));
}

inline std::vector<std::string> paths_of(const Parameters& parameters) {
  std::vector<std::string> paths;
  for (const auto& [path, x] : parameters) paths.push_back(path);
  return paths;
}

}  // namespace eglantine::test
