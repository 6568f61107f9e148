#pragma once

#include <vector>

#include "eglantine/tensor.hpp"

/// Small parameters of a model end to end in one vector: what is done to each is then one kernel for all.
namespace eglantine::optim {

/// f32, and so small that its kernels take about as long as their start.
bool is_small(const Tensor& x);

/// Tensors (f32, not empty) in one vector, each from a multiple of 64 elements on, zeros or anything else between them.
/// A view, where they are the parts of such a vector already.
Tensor packed(const std::vector<Tensor>& parts);

/// The tensors of these shapes in such a vector: views.
std::vector<Tensor> unpacked(const Tensor& vector, const std::vector<Shape>& shapes);

}  // namespace eglantine::optim
