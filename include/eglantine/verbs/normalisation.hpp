#pragma once

#include "eglantine/tensor.hpp"

/// Normalisation of activations. All give f32, or what x, weight and bias of f16 or bf16 meet in, of x's shape, within
/// 1e-5 (relative or absolute) of the exact result, also where the mean is large beside the deviation. weight and bias:
/// Tensor() means none; each has the shape that its verb names, else ShapeError, and is converted to f32. eps is finite
/// and not negative, else Error. `{}` as axes: all.
namespace eglantine {

/// (x - mean) / sqrt(var + eps) * weight + bias, mean and var (ddof 0) over `axes`. weight, bias: the lengths of these
/// axes, in x's order. One kernel where a row fits on the chip, up to 16,384 elements, and in many rows up to 131,072.
/// Squares of deviations overflow from 1.8e19 on. Ba, Kiros and Hinton, "Layer normalization" (2016).
EGLANTINE_API Tensor layer_norm(const Tensor& x, Axes axes, const Tensor& weight = {}, const Tensor& bias = {},
                                float eps = 1e-5F);

/// x / sqrt(mean(x^2) + eps) * weight, the mean over `axes`; weight and kernels as layer_norm's. Squares overflow from
/// |x| > 1.8e19 on. Zhang and Sennrich, "Root mean square layer normalization" (2019).
EGLANTINE_API Tensor rms_norm(const Tensor& x, Axes axes, const Tensor& weight = {}, float eps = 1e-5F);

/// layer_norm of each of `groups` runs of neighbouring channels: x is (n, channels, spatial...), mean and var are over
/// a run's channels and all spatial axes; weight, bias: (channels). groups divides channels, else ShapeError. Kernels
/// and overflow as layer_norm's. Wu and He, "Group normalization" (2018).
EGLANTINE_API Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight = {}, const Tensor& bias = {},
                                float eps = 1e-5F);

/// (x - mean) / sqrt(var + eps) * weight + bias by channel: x is (n, channels, ...), of rank 2 or more; mean, var,
/// weight, bias: (channels). Element-wise: it fuses into what reads it. Ioffe and Szegedy, "Batch normalization"
/// (2015).
EGLANTINE_API Tensor batch_norm(const Tensor& x, const Tensor& mean, const Tensor& var, const Tensor& weight = {},
                                const Tensor& bias = {}, float eps = 1e-5F);

/// x / (k + alpha / size * s)^beta, s the sum of x^2 over the channels from c - size / 2 to c + (size - 1) / 2 that
/// exist, as PyTorch: x is (n, channels, ...), of rank 2 or more. size is at least 1, else ShapeError. Squares
/// overflow from |x| > 1.8e19 on. Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional
/// neural networks" (2012).
EGLANTINE_API Tensor local_response_norm(const Tensor& x, int64_t size, float alpha = 1e-4F, float beta = 0.75F,
                                         float k = 1);

}  // namespace eglantine
