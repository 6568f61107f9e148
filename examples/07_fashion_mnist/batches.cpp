#include "batches.hpp"

#include <numeric>
#include <random>
#include <utility>

using namespace eglantine;

ShuffledBatches::ShuffledBatches(const Dataset& data, int64_t batch, uint64_t seed, const Device& device)
    : data_(data), batch_(batch), device_(device), order_(static_cast<size_t>(data.count())) {
  std::iota(order_.begin(), order_.end(), 0);
  std::mt19937_64 random(seed);
  // Fisher and Yates, written out: std::shuffle gives another order with another standard library.
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random() % i]);
}

Batch ShuffledBatches::operator[](int64_t i) const {
  std::vector<float> images;
  std::vector<int32_t> labels;
  images.reserve(static_cast<size_t>(batch_ * Dataset::pixels));
  for (int64_t k = i * batch_; k < (i + 1) * batch_; ++k) {
    const int64_t image = order_[static_cast<size_t>(k)];
    images.insert(images.end(), data_.image(image), data_.image(image) + Dataset::pixels);
    labels.push_back(data_.labels[static_cast<size_t>(image)]);
  }
  return {Tensor::from(images, {batch_, Dataset::pixels}, device_), Tensor::from(labels, {batch_}, device_)};
}
