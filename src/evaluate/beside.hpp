#pragma once

#include <vector>

#include "eglantine/tensor.hpp"

/// A function's value and its gradients are made of the same forward pass. An optimiser computes the gradients; the
/// value, computed by the same plan, shares their kernels, and is there when the program reads it.
namespace eglantine {

/// Notes that `value` is to be computed with each of these, as long as somebody has it.
void compute_beside(const std::vector<Tensor>& gradients, const Tensor& value);

/// The pending value that is to be computed with x; undefined where there is none.
Tensor pending_beside(const Tensor& x);

}  // namespace eglantine
