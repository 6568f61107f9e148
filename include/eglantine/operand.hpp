#pragma once

#include <variant>

#include "eglantine/scalar.hpp"
#include "eglantine/tensor.hpp"

namespace eglantine {

/// A tensor, or a C++ number that takes the dtype of the tensors beside it.
class EGLANTINE_API Operand {
 public:
  Operand(const Tensor& tensor) : value_(tensor) {}
  Operand(Scalar scalar) : value_(scalar) {}
  template <Arithmetic T>
  Operand(T number) : value_(Scalar(number)) {}
  Operand(half number) : value_(Scalar(number)) {}
  Operand(bfloat16 number) : value_(Scalar(number)) {}
  const Tensor* tensor() const { return std::get_if<Tensor>(&value_); }
  const Scalar* scalar() const { return std::get_if<Scalar>(&value_); }

 private:
  std::variant<Tensor, Scalar> value_;
};

}  // namespace eglantine
