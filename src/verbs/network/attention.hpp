#pragma once

#include "eglantine/verbs/attention.hpp"
#include "verbs/operand_lengths.hpp"

/// Attention as its gradient needs it, and what its forms share.
namespace eglantine::verbs {

struct AttentionOutputs {
  Tensor result, logsumexp;
};

/// scaled_dot_product_attention(), and of each row the logarithm of the sum of the exponentials of its scores, f32 of
/// the result's shape without its last axis; -infinity of a row that sees nothing. Of one kernel, which stores no
/// scores. Types, errors and accuracy as there.
AttentionOutputs attention_with_logsumexp(const Tensor& q, const Tensor& k, const Tensor& v,
                                          const AttentionOptions& options = {});

/// Whether a device binds what the kernels of attention's gradient read and write (nodes::AttentionGradient).
bool takes_gradient_kernels(const Node& x, bool mask);

/// What a nodes::Attention gives, or its cotangent, as (batch..., heads, rows, results).
Tensor heads_first(const Tensor& result, bool rows_first);

/// The shapes of scores and results, (..., heads, rows, columns) and (..., heads, rows, results).
struct AttentionShapes {
  Shape scores, result;
};

/// Valid arguments of attention.
struct AttentionArguments {
  Tensor q, k, v;
  Tensor mask;  ///< of at least two axes, or none
  bool causal;
  float scale;
  AttentionShapes shapes;
};

inline int64_t heads_of(const Shape& x) { return length_from_end(x, 3); }
inline int64_t rows_of(const Shape& x) { return length_from_end(x, 2); }
inline int64_t features_of(const Shape& x) { return length_from_end(x, 1); }
Shape leading_axes(const Shape& shape, int count);  ///< a shape without its last `count` axes
Shape with_matrix(Shape shape, int64_t rows, int64_t columns);
/// Whether each of y's heads serves several of x's.
bool is_grouped(const Shape& x, const Shape& y);

/// Attention made of products and softmax, which stores its scores, in f32: where the device binds too few buffers for
/// the kernel, of longer heads than it takes, or of nothing. logsumexp is undefined unless wanted.
AttentionOutputs composed_attention(const AttentionArguments& arguments, bool wants_logsumexp);

}  // namespace eglantine::verbs
