#pragma once

#include "vmap/batch.hpp"

/// Of what reads and writes by indices, with the slices in front.
namespace eglantine::mapping {

Tensor again(const nodes::Gather& x, const Node& node, const Batch& batch);
Tensor again(const nodes::Scatter& x, const Node& node, const Batch& batch);
Tensor again(const nodes::LoadAt& x, const Node& node, const Batch& batch);

}  // namespace eglantine::mapping
