#pragma once

#include <concepts>

#include "eglantine/nn.hpp"
#include "eglantine/spatial.hpp"
#include "eglantine/verbs/attention.hpp"
#include "eglantine/verbs/convolution.hpp"

/// Layers, named, laid out and by default initialised (by distribution, not by number) as PyTorch's. Equal seeds give
/// equal weights. Their parameters lie on the current device. Counts that are not positive are a ShapeError.
namespace eglantine::nn {

// Initial values: f32. fan_in and fan_out of a shape (out, in, kernel...): in and out times the kernel's elements; of
// shapes of less than two axes they throw ShapeError.

/// Uniform in [low, high).
EGLANTINE_API Tensor uniform_(Shape shape, uint64_t seed, double low = 0, double high = 1);
/// Of this mean and deviation.
EGLANTINE_API Tensor normal_(Shape shape, uint64_t seed, double mean = 0, double deviation = 1);
/// Uniform within gain sqrt(6 / (fan_in + fan_out)). Glorot and Bengio, "Understanding the difficulty of training deep
/// feedforward neural networks" (2010).
EGLANTINE_API Tensor xavier_uniform(Shape shape, uint64_t seed, double gain = 1);
/// Of deviation gain sqrt(2 / (fan_in + fan_out)).
EGLANTINE_API Tensor xavier_normal(Shape shape, uint64_t seed, double gain = 1);
/// Uniform within sqrt(6 / fan_in), for layers that a relu follows. He, Zhang, Ren and Sun, "Delving deep into
/// rectifiers" (2015).
EGLANTINE_API Tensor kaiming_uniform(Shape shape, uint64_t seed);
/// Of deviation sqrt(2 / fan_in).
EGLANTINE_API Tensor kaiming_normal(Shape shape, uint64_t seed);
/// gain Q, of shape (rows, ...) seen as a matrix of `rows` rows: rows that are orthogonal and of length 1, or columns
/// where they are fewer, uniform among all such matrices. Computed on the host, in double: rows * rows * columns steps,
/// or columns * columns * rows. Throws ShapeError below two axes, Error unless gain is finite as f32. Saxe, McClelland
/// and Ganguli, "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks" (2014).
EGLANTINE_API Tensor orthogonal(Shape shape, uint64_t seed, double gain = 1);

/// x weight^T + bias: weight (out, in), bias (out), both uniform within 1 / sqrt(in); x (..., in).
struct EGLANTINE_API Linear {
  Tensor weight, bias;

  Linear(int64_t in, int64_t out, uint64_t seed, bool has_bias = true);
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
  }
};

/// The rows of weight (count, features), of deviation 1, at the indices (i32, any shape).
struct EGLANTINE_API Embedding {
  Tensor weight;

  Embedding(int64_t rows, int64_t features, uint64_t seed);
  Tensor operator()(const Tensor& indices) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
  }
};

/// conv(x, weight, options) + bias: weight (out, in / groups, kernel...), bias (out), both uniform within
/// 1 / sqrt(fan_in). kernel has a number, in braces, for each spatial axis, else ShapeError; options have no bias, else
/// Error.
struct EGLANTINE_API Conv {
  Tensor weight, bias;
  ConvOptions options;

  Conv(int64_t in, int64_t out, const PerAxis& kernel, const ConvOptions& how, uint64_t seed);
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
  }
};

/// conv_transpose(x, weight, options) + bias: weight (in, out / groups, kernel...), bias (out), both uniform within
/// 1 / sqrt(out / groups * kernel), as PyTorch's. kernel and options as Conv's.
struct EGLANTINE_API ConvTranspose {
  Tensor weight, bias;
  ConvTransposeOptions options;

  ConvTranspose(int64_t in, int64_t out, const PerAxis& kernel, const ConvTransposeOptions& how, uint64_t seed);
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
  }
};

/// layer_norm over the last axes, of these sizes; weight ones, bias zeros.
struct EGLANTINE_API LayerNorm {
  Tensor weight, bias;
  double eps = 1e-5;

  explicit LayerNorm(const PerAxis& sizes);
  template <std::floating_point F>
  LayerNorm(const PerAxis& sizes, F epsilon) : LayerNorm(sizes) {
    eps = static_cast<double>(epsilon);
  }
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
  }
};

/// rms_norm over the last axes, of these sizes; weight ones.
struct EGLANTINE_API RMSNorm {
  Tensor weight;
  double eps = 1e-5;

  explicit RMSNorm(const PerAxis& sizes);
  template <std::floating_point F>
  RMSNorm(const PerAxis& sizes, F epsilon) : RMSNorm(sizes) {
    eps = static_cast<double>(epsilon);
  }
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
  }
};

/// group_norm of x (n, channels, ...); weight ones, bias zeros, of (channels).
struct EGLANTINE_API GroupNorm {
  Tensor weight, bias;
  int64_t groups;
  double eps;

  GroupNorm(int64_t groups_of_channels, int64_t channels, double epsilon = 1e-5);
  Tensor operator()(const Tensor& x) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
  }
};

/// batch_norm of x (n, features, ...): in training by the batch's mean and variance, which move the running ones by
/// momentum (the variance of divisor n - 1); else by the running ones, buffers that begin as zeros and ones.
struct EGLANTINE_API BatchNorm {
  Tensor weight, bias, running_mean, running_var, num_batches_tracked;  ///< the last i32, of rank 0
  double eps, momentum;

  explicit BatchNorm(int64_t features, double epsilon = 1e-5, double share = 0.1);
  Tensor operator()(const Tensor& x, bool training);
  template <class Visit>
  void parts(Visit&& visit) {
    visit("weight", weight);
    visit("bias", bias);
    visit.buffer("running_mean", running_mean);
    visit.buffer("running_var", running_var);
    visit.buffer("num_batches_tracked", num_batches_tracked);
  }
};

/// In training each element is 0 with probability p, else divided by 1 - p; the same of the same seed. p lies in
/// [0, 1], else Error.
struct EGLANTINE_API Dropout {
  double p;

  explicit Dropout(double probability);
  Tensor operator()(const Tensor& x, bool training, uint64_t seed) const;
  template <class Visit>
  void parts(Visit&&) {}
};

/// Self-attention of x (batch, length, features): heads divides features, else ShapeError. in_proj_weight (3 features,
/// features), xavier_uniform, gives q, k and v, one after the other; biases begin as zeros.
struct EGLANTINE_API MultiHeadAttention {
  Tensor in_proj_weight, in_proj_bias;
  Linear out_proj;
  int64_t heads;

  MultiHeadAttention(int64_t features, int64_t count_of_heads, uint64_t seed);
  Tensor operator()(const Tensor& x, const AttentionOptions& options = {}) const;
  template <class Visit>
  void parts(Visit&& visit) {
    visit("in_proj_weight", in_proj_weight);
    visit("in_proj_bias", in_proj_bias);
    visit("out_proj", out_proj);
  }
};

}  // namespace eglantine::nn
