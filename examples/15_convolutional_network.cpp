// A convolutional network: windows are read where they lie, and bias, residual and activation are part of the kernel.

#include <cmath>
#include <cstdlib>
#include <eglantine/eglantine.hpp>
#include <iostream>
#include <sstream>

using namespace eglantine;

namespace {

/// Random weights whose results have the variance of what they are applied to (He and others, "Delving deep into
/// rectifiers", 2015).
Tensor weights(int64_t out, int64_t in, int64_t kernel, uint64_t seed) {
  const auto deviation = static_cast<float>(std::sqrt(2.0 / static_cast<double>(in * kernel * kernel)));
  return (normal({out, in, kernel, kernel}, seed) * deviation).eval();
}

/// A layer: a convolution that keeps the picture's size, with a bias.
struct Layer {
  Tensor w, bias;
  Layer(int64_t in, int64_t out, uint64_t seed) : w(weights(out, in, 3, seed)), bias(full({out}, 0.1F)) {}
  Tensor operator()(const Tensor& x) const { return conv(x, w, {.padding = Padding::same, .bias = bias}); }
};

/// relu(x + f(x)), f two layers (He and others, "Deep residual learning for image recognition", 2016).
struct Residual {
  Layer first, second;
  Residual(int64_t channels, uint64_t seed) : first(channels, channels, seed), second(channels, channels, seed + 1) {}
  Tensor operator()(const Tensor& x) const { return relu(x + second(relu(first(x)))); }
};

struct Network {
  Layer stem{3, 16, 1};
  Residual block{16, 2};
  Layer wider{16, 32, 4};
  Tensor head = weights(10, 32, 1, 5).reshape({10, 32}).transpose(0, 1).eval();

  /// Pictures (n, 3, height, width) as features (n, 32, height / 2, width / 2).
  Tensor features(const Tensor& x) const { return relu(wider(max_pool(block(relu(stem(x))), 2))); }
  /// And as probabilities of ten classes.
  Tensor operator()(const Tensor& x) const { return softmax(matmul(mean(features(x), {2, 3}), head), 1); }
};

/// The first line of each kernel, without its GLSL.
void show_kernels(const Tensor& x) {
  std::istringstream text(explain(x));
  for (std::string line; std::getline(text, line);)
    for (const char* family : {"contraction ", "reduce ", "row ", "matmul ", "few_columns ", "map "})
      if (line.starts_with(family)) std::cout << "  " << line << "\n";
}

}  // namespace

int main() {
  const Network network;
  const Tensor pictures = uniform({2, 3, 32, 32}, 6).eval();
  const Tensor classes = network(pictures);
  std::cout << "kernels:\n";
  show_kernels(classes);
  std::cout << "probabilities of the first picture: " << classes(0) << "\n";

  // What a convolutional network knows: a picture moved by two places has its features moved by one, away from the
  // edges.
  const Tensor moved = network.features(roll(pictures, {2}, {3})), features = network.features(pictures);
  const bool same = allclose(moved.slice(3, 7, 10), features.slice(3, 6, 9), 1e-4);
  std::cout << "moves with its picture: " << (same ? "yes" : "NO") << "\n";
  return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
