#include <algorithm>
#include <cmath>
#include <utility>

#include "check/check.hpp"
#include "eglantine/scalar.hpp"
#include "element_types.hpp"
#include "evaluate/evaluate.hpp"
#include "evaluate/upload.hpp"
#include "system/main_memory.hpp"
#include "tensor/host_numbers.hpp"

/// Elements from the host's memory, and into it.
namespace eglantine {

namespace {

Axes reversed_axes(int rank) {
  Axes axes;
  for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  return axes;
}

Shape reversed(const Shape& shape) {
  Shape result;
  for (int i = shape.rank() - 1; i >= 0; --i) result.push_back(shape[i]);
  return result;
}

void require_order(std::string_view function, MemoryOrder order) {
  if (order != MemoryOrder::row_major && order != MemoryOrder::column_major)
    check::fail<Error>(function, std::to_string(static_cast<int>(order)),
                       " is no order of elements; there are row_major and column_major");
}

template <class T>
StoredAs<T> fitting(T value) {
  bool fits = true;
  if constexpr (std::is_same_v<T, double>)
    fits = !std::isfinite(value) || std::isfinite(static_cast<float>(value));
  else
    fits = std::in_range<StoredAs<T>>(value);
  if (!fits)
    check::fail<DTypeError>("Tensor::from", "the value ", Scalar(value).text(), " does not fit ",
                            name_of(dtype_of<StoredAs<T>>()));
  return static_cast<StoredAs<T>>(value);
}

template <Element T>
Tensor uploaded(std::span<const T> values, const Shape& shape, const Device& device) {
  return Tensor(upload(std::as_bytes(values), shape, dtype_of<T>(), device));
}

template <class T>
Tensor converted(std::span<const T> values, const Shape& shape, const Device& device) {
  if constexpr (Element<T>) {
    return uploaded(values, shape, device);
  } else {
    auto elements = fresh_vector<StoredAs<T>>(values.size(), "Tensor::from");
    std::transform(values.begin(), values.end(), elements.begin(), fitting<T>);
    return uploaded(std::span<const StoredAs<T>>(elements), shape, device);
  }
}

template <class T>
Tensor make_from(std::span<const T> values, const Shape& shape, const Device& device, MemoryOrder order) {
  check::require_countable("Tensor::from", shape);
  require_order("Tensor::from", order);
  if (shape.elements() != static_cast<int64_t>(values.size()))
    check::fail<ShapeError>("Tensor::from", "shape ", to_string(shape), " has ", std::to_string(shape.elements()),
                            " elements, got ", std::to_string(values.size()), " values");
  const bool rows = order == MemoryOrder::row_major;
  const Tensor x = converted(values, rows ? shape : reversed(shape), device);
  return rows ? x : x.permute(reversed_axes(shape.rank()));
}

/// x's elements, each converted to T.
template <class T, class E>
void read_as(std::string_view function, const Tensor& x, std::span<T> out) {
  if constexpr (std::is_same_v<T, E>) {
    read(x.node(), out);
  } else {
    const std::unique_ptr<E[]> elements =
        in_host_memory(function, out.size() * sizeof(E), [&] { return unset_array<E>(out.size()); });
    read(x.node(), std::span<E>(elements.get(), out.size()));
    std::transform(elements.get(), elements.get() + out.size(), out.begin(), converted_to<T, E>);
  }
}

template <class T>
void read_into(std::string_view function, const Tensor& x, std::span<T> out) {
  with_element_type(x.dtype(), [&]<class E>() {
    if constexpr (holds<E, T>()) read_as<T, E>(function, x, out);
  });
}

template <class T>
void require_held(std::string_view function, const Tensor& x) {
  const bool is_held = with_element_type(x.dtype(), []<class E>() { return holds<E, T>(); });
  if (!is_held)
    check::fail<DTypeError>(function, "the tensor is ", name_of(x.dtype()), ", whose values ", host_name<T>(),
                            " does not hold; convert with astype");
}

}  // namespace

template <class T>
Tensor Tensor::from_span(std::span<const T> values, const Shape& shape, const Device& device, MemoryOrder order) {
  return make_from(values, shape, device, order);
}

Tensor Tensor::from_booleans(const std::vector<bool>& values, const Shape& shape, const Device& device,
                             MemoryOrder order) {
  const Booleans flat(values.size(), "Tensor::from");
  std::copy(values.begin(), values.end(), flat.all.begin());
  return make_from(std::span<const bool>(flat.all), shape, device, order);
}

template <class T>
std::vector<T> Tensor::read_vector() const {
  constexpr std::string_view name = "Tensor::to_vector";
  require_held<T>(name, *this);
  const auto count = static_cast<size_t>(size());
  if constexpr (std::is_same_v<T, bool>) {
    const Booleans flat(count, name);
    read(node(), flat.all);
    return in_host_memory(name, count / 8, [&] { return std::vector<bool>(flat.all.begin(), flat.all.end()); });
  } else {
    std::vector<T> values = fresh_vector<T>(count, name);
    read_into<T>(name, *this, values);
    return values;
  }
}

template <class T>
T Tensor::read_item() const {
  require_held<T>("Tensor::item", *this);
  if (size() != 1)
    check::fail<ShapeError>("Tensor::item", "wants exactly one element, the shape is ", to_string(shape()));
  T value;
  read_into<T>("Tensor::item", *this, {&value, 1});
  return value;
}

template <class T>
void Tensor::read_to(std::span<T> out, MemoryOrder order) const {
  require_held<T>("Tensor::copy_to", *this);
  require_order("Tensor::copy_to", order);
  if (static_cast<int64_t>(out.size()) != size())
    check::fail<ShapeError>("Tensor::copy_to", "shape ", to_string(shape()), " has ", std::to_string(size()),
                            " elements, the destination holds ", std::to_string(out.size()));
  read_into("Tensor::copy_to", order == MemoryOrder::row_major ? *this : permute(reversed_axes(rank())), out);
}

#define EG_INSTANTIATE(T)                                                                                        \
  template EGLANTINE_API Tensor Tensor::from_span(std::span<const T>, const Shape&, const Device&, MemoryOrder); \
  template EGLANTINE_API std::vector<T> Tensor::read_vector<T>() const;                                          \
  template EGLANTINE_API T Tensor::read_item<T>() const;                                                         \
  template EGLANTINE_API void Tensor::read_to(std::span<T>, MemoryOrder) const;
EG_INSTANTIATE(float)
EG_INSTANTIATE(double)
EG_INSTANTIATE(half)
EG_INSTANTIATE(bfloat16)
EG_INSTANTIATE(bool)
EG_INSTANTIATE(int8_t)
EG_INSTANTIATE(uint8_t)
EG_INSTANTIATE(int16_t)
EG_INSTANTIATE(uint16_t)
EG_INSTANTIATE(int32_t)
EG_INSTANTIATE(uint32_t)
EG_INSTANTIATE(long)
EG_INSTANTIATE(unsigned long)
EG_INSTANTIATE(long long)
EG_INSTANTIATE(unsigned long long)
#undef EG_INSTANTIATE

}  // namespace eglantine
