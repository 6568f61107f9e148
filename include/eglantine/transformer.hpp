#pragma once

#include <functional>

#include "eglantine/layers.hpp"
#include "eglantine/verbs/unary.hpp"

/// Blocks of transformers.
namespace eglantine::nn {

/// The defaults are PyTorch's.
struct TransformerOptions {
  bool norm_first = false;  ///< norms in front of attention and feed-forward layers, instead of behind the sums
  std::function<Tensor(const Tensor&)> activation = relu;  ///< between linear1 and linear2; often gelu
  double eps = 1e-5;                                       ///< of the norms
};

/// Self-attention and two feed-forward layers, both beside a residual; x and the result are (batch, length, features):
///
///     norm_first:  y = x + self_attn(norm1(x)),  y + linear2(activation(linear1(norm2(y))))
///     otherwise:   y = norm1(x + self_attn(x)),  norm2(y + linear2(activation(linear1(y))))
///
/// linear1 is (features -> hidden), linear2 (hidden -> features). Parts are named, laid out and initialised as those of
/// PyTorch's TransformerEncoderLayer of batch_first = true and no dropout, whose weights load; with {.causal = true} it
/// is the block of a decoder without cross-attention. Throws ShapeError for counts that are not positive, for heads
/// that do not divide features and for another x; Error where there is no activation, and unless eps is positive and
/// finite as f32. Vaswani and others, "Attention is all you need" (2017); norms in front: Xiong and others, "On layer
/// normalization in the transformer architecture" (2020).
struct EGLANTINE_API TransformerBlock {
  MultiHeadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;
  TransformerOptions options;

  TransformerBlock(int64_t features, int64_t heads, int64_t hidden, uint64_t seed, TransformerOptions how = {});
  Tensor operator()(const Tensor& x, const AttentionOptions& attention = {}) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("self_attn", self_attn);
    visit("linear1", linear1);
    visit("linear2", linear2);
    visit("norm1", norm1);
    visit("norm2", norm2);
  }
};

}  // namespace eglantine::nn
