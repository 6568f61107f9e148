#pragma once

#include <string>
#include <string_view>

#include "eglantine/error.hpp"
#include "eglantine/own.hpp"
#include "eglantine/tensor.hpp"
#include "graph/node.hpp"
#include "graph/op/op_info.hpp"

/// Argument checks before anything is built, and their errors. `function`: the public function that was called.
namespace eglantine::check {

template <class E, class... Parts>
[[noreturn]] void fail(std::string_view function, const Parts&... parts) {
  std::string text = "[" + std::string(function) + "] ";
  (text.append(parts), ...);
  throw E(text);
}

/// The axis counted from the front. Throws ShapeError unless -rank <= axis < rank.
int axis_of(std::string_view function, int64_t axis, const Shape& shape);
int axis_in(std::string_view function, int64_t axis, int rank);  ///< likewise of a result of rank `rank`
/// axis_of an axis whose places are i32. Throws ShapeError for a longer one.
int i32_axis_of(std::string_view function, int64_t axis, const Shape& shape);
/// Axes counted from the front, sorted; {} means all. Throws ShapeError for an axis out of range or named twice.
Axes axes_of(std::string_view function, const Axes& axes, const Shape& shape);

/// Throws ShapeError for a negative length, or for more elements than are addressable.
void require_countable(std::string_view function, const Shape& shape);
int64_t elements_of(std::string_view function, const Shape& shape);     ///< the number of elements, after this check
void require_i32_count(std::string_view function, const Shape& shape);  ///< ShapeError beyond 2^31 - 1 elements
void require_dtype(std::string_view function, DType dtype);             ///< DTypeError outside of the enumeration
void require_types(std::string_view function, Types types, DType dtype);
/// The dtype that two tensors meet in (result_type). Throws DTypeError where nothing holds both.
DType common_dtype(std::string_view function, DType a, DType b);
/// Throws DTypeError unless values of `from` meet those of `to` in `to`.
void require_converts(std::string_view function, DType from, DType to);
/// Throws Error unless a number is finite as f32, and not negative; or, where `positive`, positive.
void require_finite(std::string_view function, std::string_view name, double value, bool positive = false);
void require_same_device(std::string_view function, const Tensor& a, const Tensor& b);
/// Throws Error unless all parts are there and the GLSL is one closed expression; not compiled. In custom_check.cpp.
void require_whole(std::string_view function, const ElementwiseOp& op);
void require_whole(std::string_view function, const ReduceOp& op);
/// The shape that two operands broadcast to. Throws ShapeError when they do not broadcast, or to too many elements.
Shape require_broadcast(std::string_view function, const Shape& a, const Shape& b);

}  // namespace eglantine::check
