#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "eglantine/dtype.hpp"

namespace eglantine {

template <class T>
concept Arithmetic = std::integral<T> || std::floating_point<T>;

/// A C++ number on its way to becoming an element. It takes the dtype of the tensor it meets, except that a floating
/// number beside an integer or boolean tensor is f32, whatever its value, and an integer beside a boolean one i32.
/// half and bfloat16 count as floating numbers.
class EGLANTINE_API Scalar {
 public:
  template <Arithmetic T>
  Scalar(T value) : value_(widen(value)) {}
  Scalar(half value) : value_(static_cast<double>(value)) {}
  Scalar(bfloat16 value) : value_(static_cast<double>(value)) {}

  /// The number's bits as kernels compute with an element of `dtype`. Throws DTypeError, naming `function`, when it
  /// does not fit: a fraction or a number out of range for an integer, an integer that the float type cannot hold, a
  /// finite number beyond it, anything but true, false, 0 and 1 for boolean. A double is rounded to the float type.
  /// `advice` ends the message.
  uint32_t bits(DType dtype, std::string_view function, std::string_view advice = "") const;
  /// The dtype of this number beside a tensor of `dtype`, as above.
  DType dtype_beside(DType dtype) const;
  /// The dtype of this number by itself: f32, i32 or boolean.
  DType dtype() const;
  std::string text() const;

 private:
  using Value = std::variant<bool, int64_t, uint64_t, double>;
  template <class T>
  static Value widen(T value) {
    if constexpr (std::same_as<T, bool>)
      return value;
    else if constexpr (std::floating_point<T>)
      return static_cast<double>(value);
    else if constexpr (std::is_signed_v<T>)
      return static_cast<int64_t>(value);
    else
      return static_cast<uint64_t>(value);
  }
  Value value_;
};

}  // namespace eglantine
