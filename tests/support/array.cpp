#include "support/array.hpp"

#include <cmath>
#include <sstream>

namespace eglantine::test {
namespace {

template <class T>
Tensor upload_as(const Array& x, const Device& device, MemoryOrder order) {
  std::vector<T> elements;
  elements.reserve(x.values.size());
  for (double value : x.values) elements.push_back(static_cast<T>(value));
  return Tensor::from(elements, Shape(x.shape), device, order);
}

template <class T>
Array download_as(const Tensor& x) {
  Array result{x.dtype(), dims(x.shape()), {}};
  for (T value : x.to_vector<T>()) result.values.push_back(static_cast<double>(value));
  return result;
}

}  // namespace

int64_t count(const Dims& shape) {
  int64_t product = 1;
  for (int64_t length : shape) product *= length;
  return product;
}

double Array::at(const Dims& index) const {
  int64_t position = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) position = position * shape[axis] + index[axis];
  return values[static_cast<size_t>(position)];
}

void for_each_index(const Dims& shape, const std::function<void(const Dims&)>& visit) {
  Dims index(shape.size(), 0);
  for (int64_t left = count(shape); left > 0; --left) {
    visit(index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

Array generate(DType dtype, const Dims& shape, const std::function<double(const Dims&)>& value) {
  Array result{dtype, shape, {}};
  result.values.reserve(static_cast<size_t>(count(shape)));
  for_each_index(shape, [&](const Dims& index) { result.values.push_back(value(index)); });
  return result;
}

Array iota(DType dtype, const Dims& shape) {
  double next = 0;
  return generate(dtype, shape, [&](const Dims&) { return as_element(dtype, next++); });
}

double as_element(DType dtype, double value) {
  switch (dtype) {
    case DType::f32:
      return static_cast<double>(static_cast<float>(value));
    case DType::i32:
      return static_cast<double>(static_cast<int32_t>(static_cast<int64_t>(value)));
    case DType::u32:
      return static_cast<double>(static_cast<uint32_t>(static_cast<int64_t>(value)));
    case DType::boolean:
      break;
  }
  return value != 0 ? 1 : 0;
}

Tensor upload(const Array& x, const Device& device, MemoryOrder order) {
  switch (x.dtype) {
    case DType::f32:
      return upload_as<float>(x, device, order);
    case DType::i32:
      return upload_as<int32_t>(x, device, order);
    case DType::u32:
      return upload_as<uint32_t>(x, device, order);
    case DType::boolean:
      break;
  }
  return upload_as<bool>(x, device, order);
}

Array download(const Tensor& x) {
  switch (x.dtype()) {
    case DType::f32:
      return download_as<float>(x);
    case DType::i32:
      return download_as<int32_t>(x);
    case DType::u32:
      return download_as<uint32_t>(x);
    case DType::boolean:
      break;
  }
  return download_as<bool>(x);
}

Dims dims(const Shape& shape) { return shape.to_vector(); }

std::string text(const Dims& shape) {
  std::ostringstream out;
  out << '(';
  for (size_t axis = 0; axis < shape.size(); ++axis) out << (axis == 0 ? "" : ", ") << shape[axis];
  out << ')';
  return out.str();
}

}  // namespace eglantine::test
