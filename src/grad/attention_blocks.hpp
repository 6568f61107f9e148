#pragma once

#include "eglantine/ops.hpp"
#include "graph/node.hpp"

namespace eglantine::derivatives {

/// What attention's derivatives give back: q's, k's and v's, and where it is wanted the scores', which is the mask's.
struct AttentionGradients {
  Tensor q, k, v, scores;
};

/// A constant of attention's backward pass for each row: logsumexp of its scores, delta = sum(g result), and the
/// result's cotangent g itself, which is undefined where only the logsumexp has one.
struct AttentionRows {
  Tensor logsumexp, delta, g;
};

inline int64_t length(const Tensor& x, int from_end) { return x.shape()[x.rank() - from_end]; }

/// The columns that rows from `first` on see (tri), and those that a mask shows; undefined: all.
Tensor visible_of(const nodes::Attention& x, int64_t first, int64_t rows, int64_t columns, const Tensor& mask,
                  const Device& device);

/// Whether blocks are quicker than the kernels that store no scores, on GPUs (docs/performance-notes.md), and at most 1
/// GiB of scores is stored at a time: q (..., heads, rows, features), k (..., heads, columns, features).
bool takes_blocks(const Tensor& q, const Tensor& k);

/// The gradients by q, k and v (..., heads, rows or columns, features; as many heads each), made of products of blocks
/// of rows, whose shares p = exp(scores - logsumexp) and their gradients p (g v^T - delta) are stored: at most 1 GiB of
/// each. Under a causal mask a block leaves out the columns that none of its rows sees. Of x's mask, causal and scale.
AttentionGradients attention_gradients_in_blocks(const nodes::Attention& x, const Tensor& q, const Tensor& k,
                                                 const Tensor& v, const AttentionRows& rows);

}  // namespace eglantine::derivatives
