#include "network.hpp"

#include "dataset.hpp"

using namespace eglantine;

namespace {

constexpr int64_t channels = 32, kernel = 3;  // of the second convolution
constexpr int64_t features = channels * (Dataset::side / 4) * (Dataset::side / 4), hidden_units = 128;

/// Halves the sides of a picture of even sides.
ConvOptions halving(int64_t side) { return {.stride = 2, .padding = side / 2}; }

/// Pixels (n, 784) as pictures of one channel, of mean 0 and deviation 1 over the training images.
Tensor normalised(const Tensor& x) {
  constexpr float mean = 0.286F, deviation = 0.353F;
  return ((x - mean) / deviation).reshape({x.shape()[0], 1, Dataset::side, Dataset::side});
}

}  // namespace

Network::Network(uint64_t seed)
    : first(1, filters, {filter_side, filter_side}, halving(filter_side), split_seed(seed, 0)),
      second(filters, channels, {kernel, kernel}, halving(kernel), split_seed(seed, 1)),
      hidden(features, hidden_units, split_seed(seed, 2)),
      last(hidden_units, Dataset::classes, split_seed(seed, 3)) {}

Tensor Network::operator()(const Tensor& x) const {
  const Tensor seen = relu(second(relu(first(normalised(x)))));
  return last(relu(hidden(seen.reshape({x.shape()[0], features}))));
}

std::string Network::description() {
  const auto convolution = [](int64_t side, int64_t out) {
    const std::string length = std::to_string(side);
    return "convolution " + length + " x " + length + " to " + std::to_string(out) + " channels, stride 2, ReLU; ";
  };
  return "28 x 28 pixels; " + convolution(filter_side, filters) + convolution(kernel, channels) +
         std::to_string(hidden_units) + " hidden units with ReLU; 10 outputs with softmax";
}
