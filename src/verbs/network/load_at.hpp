#pragma once

#include <vector>

#include "eglantine/tensor.hpp"

/// Elements at computed places, read in the kernel that computes these (nodes::LoadAt).
namespace eglantine::verbs {

/// Whether a kernel can read x at any places along these axes: one binding of its device covers what they span.
bool can_load_at(const Tensor& x, const Axes& axes);

/// Of shape `shape`: x's elements at the coordinates indices[k] (i32, broadcast to `shape`, each within the axis) along
/// axes[k], and at the result's own coordinates along x's other axes. The result may have further axes behind x's.
/// Only where can_load_at().
Tensor load_at(const Tensor& x, const Axes& axes, const std::vector<Tensor>& indices, const Shape& shape);

}  // namespace eglantine::verbs
