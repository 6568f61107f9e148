#pragma once

#include <string>
#include <string_view>

#include "eglantine/error.hpp"
#include "eglantine/own.hpp"
#include "eglantine/tensor.hpp"
#include "graph/node.hpp"
#include "graph/op_info.hpp"

/// Checks of arguments before anything is built from them, and their errors. `function`: the name of the public
/// function that was called.
namespace eglantine::check {

template <class E, class... Parts>
[[noreturn]] void fail(std::string_view function, const Parts&... parts) {
  std::string text = "[" + std::string(function) + "] ";
  (text.append(parts), ...);
  throw E(text);
}

/// The axis counted from the front. Throws ShapeError unless -rank <= axis < rank.
int axis_of(std::string_view function, int64_t axis, const Shape& shape);
/// The same for an axis of a result of rank `rank`.
int axis_in(std::string_view function, int64_t axis, int rank);
/// Axes counted from the front, sorted; {} means all. Throws ShapeError for an axis out of range or named twice.
Axes axes_of(std::string_view function, const Axes& axes, const Shape& shape);

/// Throws ShapeError for a negative length, or for more elements than are addressable.
void require_countable(std::string_view function, const Shape& shape);
/// Throws DTypeError for a value outside of the enumeration.
void require_dtype(std::string_view function, DType dtype);
void require_types(std::string_view function, Types types, DType dtype);
void require_same_dtype(std::string_view function, DType a, DType b);
void require_same_device(std::string_view function, const Tensor& a, const Tensor& b);
/// Throws Error when a part of a user's operation is missing, or its GLSL is not one expression that stays within the
/// parentheses around it. Whether it compiles is found out on the device. In custom_check.cpp.
void require_whole(std::string_view function, const ElementwiseOp& op);
void require_whole(std::string_view function, const ReduceOp& op);
/// The shape that two operands broadcast to. Throws ShapeError when they do not broadcast, or to too many elements.
Shape require_broadcast(std::string_view function, const Shape& a, const Shape& b);

}  // namespace eglantine::check
