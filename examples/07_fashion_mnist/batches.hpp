#pragma once

#include <eglantine/eglantine.hpp>
#include <vector>

#include "dataset.hpp"

struct Batch {
  eglantine::Tensor images;  ///< (count, 784)
  eglantine::Tensor labels;  ///< (count,), i32
};

/// A whole data set in a device's memory.
Batch on_device(const Dataset& data, const eglantine::Device& device);

/// The images of a data set in an order drawn from a seed, the same on every machine, cut into batches. They are picked
/// out on the device, so that nothing waits for an upload between two steps of a training.
class ShuffledBatches {
 public:
  ShuffledBatches(const Batch& data, int64_t batch, uint64_t seed);
  /// Whole batches; what is left over is not used in this epoch.
  int64_t count() const { return order_.size() / batch_; }
  Batch operator[](int64_t i) const;

 private:
  Batch data_;
  int64_t batch_;
  eglantine::Tensor order_;  ///< the images' numbers
};
