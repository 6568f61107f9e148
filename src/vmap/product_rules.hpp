#pragma once

#include "vmap/batch.hpp"

/// Of products, with the slices in front.
namespace eglantine::mapping {

Tensor again(const nodes::Matmul& x, const Node& node, const Batch& batch);
Tensor again(const nodes::Contraction& x, const Node& node, const Batch& batch);
Tensor again(const nodes::Attention& x, const Node& node, const Batch& batch);
Tensor again(const nodes::AttentionGradient& x, const Node& node, const Batch& batch);
/// The slices of what make_value_gradient() makes of `first`, x's node over all slices.
Tensor of_second(const nodes::AttentionGradient& x, const NodePtr& first, int64_t slices);

}  // namespace eglantine::mapping
