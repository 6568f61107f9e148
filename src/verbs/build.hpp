#pragma once

#include <string_view>
#include <utility>

#include "check/check.hpp"
#include "eglantine/ops.hpp"
#include "evaluate/pend.hpp"
#include "graph/op_info.hpp"

/// What verbs build their nodes of, and of which shapes.
namespace eglantine::verbs {

/// The tensors among a verb's operands, and the numbers made into tensors (rank 0) of their dtype on their device.
Tensor to_tensor(std::string_view function, const Operand& operand, const Tensor& beside);
std::pair<Tensor, Tensor> to_tensors(std::string_view function, const Operand& a, const Operand& b);

/// The shape of a reduction's result: without the axes, or with length 1 along them.
Shape reduced_shape(const Shape& shape, const Axes& axes, bool keepdims);
/// How many elements a reduction over the axes combines for each result.
int64_t count_over(const Shape& shape, const Axes& axes);

/// Throws ShapeError when there is nothing to combine.
void require_some(std::string_view function, const Tensor& x, const Axes& axes);

/// Builds an element-wise node of tensors that broadcast together, all checked: types, dtypes, devices.
Tensor elementwise(Op op, const Tensor& x);
Tensor elementwise(Op op, const Tensor& x, const Tensor& y);

/// x over `shape`, which its own broadcasts to.
NodePtr broadcast(const Tensor& x, const Shape& shape);

}  // namespace eglantine::verbs
