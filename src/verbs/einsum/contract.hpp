#pragma once

#include <string_view>
#include <vector>

#include "eglantine/tensor.hpp"
#include "verbs/einsum/labels.hpp"

/// Sums of products of tensors.
namespace eglantine::verbs {

/// The dtype that the operands meet in. Throws DeviceError, DTypeError as `function`: where they live on two devices,
/// meet in no dtype, or in boolean.
DType check_operands(std::string_view function, const std::vector<Tensor>& tensors);

/// The sum of the products of tensors that check_operands has checked and whose axes `sum` labels, in the dtype that
/// matmul gives. Views are read in place; axes of a group that do not lie as one are copied to one (pair.hpp).
Tensor contract(std::string_view function, std::vector<Tensor> tensors, SumOfProducts sum);

}  // namespace eglantine::verbs
