#pragma once

#include <optional>

#include "eglantine/tensor.hpp"

/// Attention.
namespace eglantine {

struct AttentionOptions {
  Tensor mask = {};                  ///< boolean: takes part; float: is added to the scores. Tensor() means none
  bool causal = false;               ///< row i sees columns 0 to i, also where q and k differ in length
  std::optional<double> scale = {};  ///< of the scores; 1 / sqrt(features) without it
};

/// softmax(scale * q k^T + mask) v over the last two axes, as PyTorch: q (..., rows, features), k (..., columns,
/// features), v (..., columns, features of the result). Leading axes broadcast; besides, q's heads (axis -3) may be a
/// multiple of k's and of v's, each of which then serves as many neighbouring heads of q, without being repeated in
/// memory (Ainslie and others, "GQA", 2023).
/// mask broadcasts to (..., rows, columns); where it is false, or -infinity, a column does not take part, nor beyond
/// `causal`; both hold where both are given. What the score is there does not matter, be it NaN. A row that sees
/// nothing gives 0. v's elements of columns that a row does not see may be multiplied by 0: an infinity or NaN there
/// may give NaN. f32; of f16 and bf16 what q, k and v meet in, computed in f32 and rounded once; other dtypes are a
/// DTypeError. Within 4e-6 relative or 1e-6 absolute, whichever is larger, where scores are up to 5 and v's elements of
/// the size of 1; beyond, in proportion to both, since scores are rounded to f32. One kernel, which stores no scores:
/// memory grows with the length, not with its square. Fewer than 8 rows of 128 columns and more, features or results
/// beyond 256, and devices that bind fewer than five buffers, six with a mask, take products and a softmax, whose
/// scores are stored. Its gradient stores none either, two kernels and a sum, where the forward pass is one kernel, the
/// device binds eight buffers, nine with a mask, and nobody asks for a float mask's gradient; else, and for
/// derivatives of derivatives, it is products that store them. On GPUs it is products of blocks of rows, which store
/// at most 1 GiB of scores at a time. Throws ShapeError where ranks are below 2, features of q and k, columns of k and
/// v, or heads do not fit, leading axes do not broadcast, or mask is larger than the scores; Error unless scale is
/// finite as f32. Vaswani and others, "Attention is all you need" (2017); Dao and others, "FlashAttention" (2022).
EGLANTINE_API Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const AttentionOptions& options = {});

}  // namespace eglantine
