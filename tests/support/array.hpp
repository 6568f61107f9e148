#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "eglantine/tensor.hpp"

namespace eglantine::test {

using Dims = std::vector<int64_t>;

/// A tensor on the host, row-major. The reference computes in double, which holds every element of every dtype exactly
/// (true is 1), and results of f32 arithmetic with precision to spare.
struct Array {
  DType dtype = DType::f32;
  Dims shape;
  std::vector<double> values;

  int64_t size() const { return static_cast<int64_t>(values.size()); }
  int rank() const { return static_cast<int>(shape.size()); }
  double at(const Dims& index) const;
};

/// The product of the lengths.
int64_t count(const Dims& shape);

/// Calls `visit` with every index of the shape, in row-major order.
void for_each_index(const Dims& shape, const std::function<void(const Dims&)>& visit);

/// The array whose element at an index is value(index).
Array generate(DType dtype, const Dims& shape, const std::function<double(const Dims&)>& value);

/// Elements 0, 1, 2, ... in row-major order.
Array iota(DType dtype, const Dims& shape);

/// The value as an element of dtype: rounded to f32, wrapped to 32 bits, or as a truth value.
double as_element(DType dtype, double value);

Tensor upload(const Array& x, const Device& device = Device::current(), MemoryOrder order = MemoryOrder::row_major);
Array download(const Tensor& x);

Dims dims(const Shape& shape);
std::string text(const Dims& shape);

}  // namespace eglantine::test
