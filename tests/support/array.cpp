#include "support/array.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "element_types.hpp"

namespace eglantine::test {
namespace {

template <class T>
Tensor upload_as(const Array& x, const Device& device, MemoryOrder order) {
  std::vector<T> elements;
  elements.reserve(x.values.size());
  for (double value : x.values) {
    if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
      elements.push_back(T(static_cast<float>(value)));
    else
      elements.push_back(static_cast<T>(value));
  }
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

namespace {

/// The nearest number with `bits` significant bits, ties to even, whose last bit is at least 2^lowest.
double nearest(double value, int bits, int lowest, double largest) {
  if (!std::isfinite(value) || value == 0) return value;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value) + 1 - bits, lowest));
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) > largest ? std::copysign(HUGE_VAL, value) : rounded;
}

}  // namespace

double as_element(DType dtype, double value) {
  switch (dtype) {
    case DType::f16:
      return nearest(value, 11, -24, 65504);
    case DType::bf16:
      return nearest(value, 8, -133, 0x1.fep127);
    case DType::i8:
      return static_cast<double>(static_cast<int8_t>(static_cast<int64_t>(value)));
    case DType::u8:
      return static_cast<double>(static_cast<uint8_t>(static_cast<int64_t>(value)));
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
  return with_element_type(x.dtype, [&]<class T>() { return upload_as<T>(x, device, order); });
}

Array download(const Tensor& x) {
  return with_element_type(x.dtype(), [&]<class T>() { return download_as<T>(x); });
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
