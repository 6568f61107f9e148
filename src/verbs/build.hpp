#pragma once

#include <string_view>
#include <utility>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "graph/op/op_info.hpp"

/// Helpers for building verbs' nodes and shapes.
namespace eglantine::verbs {

/// An operand as a tensor: a number becomes a constant beside the other tensor, of its shape and device.
Tensor to_tensor(std::string_view function, const Operand& operand, const Tensor& beside);
/// Two operands as tensors of the dtype that they meet in.
std::pair<Tensor, Tensor> to_tensors(std::string_view function, const Operand& a, const Operand& b);
/// x as functions with real values take it: integers and booleans become f32.
Tensor to_real(const Tensor& x);
/// x as sums and products take it: booleans, i8 and u8 count in i32.
Tensor to_counted(const Tensor& x);
/// x as what is rounded once, at the end, takes it: in the type that its dtype computes in.
Tensor widened(const Tensor& x);
/// widened(to_real(x)), and the dtype of what is made of it: x's, or f32. Of several tensors: the one in which the
/// floats among those that are defined meet, or f32.
Tensor to_f32(const Tensor& x);
DType real_dtype(const Tensor& x);
DType real_dtype(std::initializer_list<Tensor> tensors);
/// Two operands as f32, and the dtype of what is made of them.
struct Reals {
  Tensor x, y;
  DType dtype;
};
Reals to_reals(std::string_view function, const Operand& a, const Operand& b);

/// The shape of a reduction's result: without the axes, or with length 1 for them.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims);
/// Axes of a reduction: check::axes_of, of a result that is countable, which x's being so does not say where x has no
/// elements.
Axes reduction_axes(std::string_view function, const Axes& axes, const Shape& shape);
/// Elements combined for each result. Throws ShapeError where they are too many to address, though x may have none.
int64_t count_over(std::string_view function, const Shape& shape, const Axes& axes);

void require_nonempty(std::string_view function, const Tensor& x, const Axes& axes);  ///< ShapeError over no elements

/// Builds an element-wise node of tensors of one dtype that broadcast together, after checking types and devices.
Tensor elementwise(Op op, const Tensor& x);
Tensor elementwise(Op op, const Tensor& x, const Tensor& y);

/// sum + x * y, a step of a sum of products: of floats rounded once or twice. x and y broadcast to sum's shape.
Tensor plus_product(const Tensor& sum, const Tensor& x, const Tensor& y);

/// Elements from, from + step, ... before `to` (after it where step < 0).
int64_t count_of_steps(int64_t from, int64_t to, int64_t step);

NodePtr broadcast(const Tensor& x, const Shape& shape);

/// Whether kernels run on a GPU, where reading may cost more than computing: for verbs that have a form for each.
bool is_gpu(const Device& device);

/// Element i (row-major) is i as u32, modulo 2^32.
Tensor iota(const Device& device, const Shape& shape);

}  // namespace eglantine::verbs
