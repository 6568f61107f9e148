#pragma once

#include <string>
#include <string_view>

#include "eglantine/error.hpp"
#include "eglantine/own.hpp"
#include "eglantine/tensor.hpp"
#include "graph/node.hpp"
#include "graph/op_info.hpp"

/// What is checked of arguments before anything is built of them, and how it is said what is wrong. `function` is the
/// name of what the user called, as the user wrote it.
namespace eglantine::check {

template <class E, class... Parts>
[[noreturn]] void fail(std::string_view function, const Parts&... parts) {
  std::string text = "[" + std::string(function) + "] ";
  (text.append(parts), ...);
  throw E(text);
}

/// The axis counted from the front. Throws ShapeError unless -rank <= axis < rank.
int axis_of(std::string_view function, int64_t axis, const Shape& shape);
/// The same for an axis that a result of rank `rank` will have.
int axis_in(std::string_view function, int64_t axis, int rank);
/// Axes counted from the front and sorted; {} is all of them. Throws ShapeError for one out of range or named twice.
Axes axes_of(std::string_view function, const Axes& axes, const Shape& shape);

/// Throws ShapeError for a negative length, and for more elements than memory can be addressed for.
void require_countable(std::string_view function, const Shape& shape);
/// Throws DTypeError for a number that is none of the dtypes.
void require_dtype(std::string_view function, DType dtype);
void require_types(std::string_view function, Types types, DType dtype);
void require_same_dtype(std::string_view function, DType a, DType b);
void require_same_device(std::string_view function, const Tensor& a, const Tensor& b);
/// Throws Error when a part of a user's operation is missing, or its GLSL is not one expression that stays within the
/// parentheses it is put in. Whether it compiles shows on the device. In custom_check.cpp.
void require_whole(std::string_view function, const ElementwiseOp& op);
void require_whole(std::string_view function, const ReduceOp& op);
/// The shape that two operands broadcast to. Throws ShapeError when they do not, or not to a shape that can be counted.
Shape require_broadcast(std::string_view function, const Shape& a, const Shape& b);

}  // namespace eglantine::check
