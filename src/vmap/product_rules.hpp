#pragma once

#include "vmap/batch.hpp"

/// Of products, with the slices in front.
namespace eglantine::mapping {

Tensor again(const nodes::Matmul& x, const Node& node, const Batch& batch);
Tensor again(const nodes::Contraction& x, const Node& node, const Batch& batch);
Tensor again(const nodes::Attention& x, const Node& node, const Batch& batch);
Tensor again(const nodes::AttentionGradient& x, const Node& node, const Batch& batch);

}  // namespace eglantine::mapping
