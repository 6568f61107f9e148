#include "batches.hpp"

#include <numeric>
#include <random>
#include <utility>

using namespace eglantine;

namespace {

std::vector<int32_t> shuffled(int64_t count, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  // Fisher and Yates, written out: std::shuffle gives another order with another standard library.
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace

Batch on_device(const Dataset& data, const Device& device) {
  return {Tensor::from(data.images, {data.count(), Dataset::pixels}, device),
          Tensor::from(data.labels, {data.count()}, device)};
}

ShuffledBatches::ShuffledBatches(const Batch& data, int64_t batch, uint64_t seed)
    : data_(data),
      batch_(batch),
      order_(Tensor::from(shuffled(data.labels.size(), seed), {data.labels.size()}, data.labels.device())) {}

Batch ShuffledBatches::operator[](int64_t i) const {
  const Tensor chosen = order_.slice(0, i * batch_, (i + 1) * batch_);
  return {take(data_.images, chosen, 0), take(data_.labels, chosen, 0)};
}
