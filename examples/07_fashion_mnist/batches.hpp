#pragma once

#include <eglantine/eglantine.hpp>
#include <vector>

#include "dataset.hpp"

struct Batch {
  eglantine::Tensor images;  ///< (count, 784)
  eglantine::Tensor labels;  ///< (count,), i32
};

/// The images of a data set in an order drawn from a seed, the same on every machine, cut into batches.
class ShuffledBatches {
 public:
  ShuffledBatches(const Dataset& data, int64_t batch, uint64_t seed, const eglantine::Device& device);
  /// Whole batches; what is left over is not used in this epoch.
  int64_t count() const { return data_.count() / batch_; }
  Batch operator[](int64_t i) const;

 private:
  const Dataset& data_;
  int64_t batch_;
  eglantine::Device device_;
  std::vector<int64_t> order_;
};
