#pragma once

#include "eglantine/tensor.hpp"

/// Element-wise verbs of one tensor.
namespace eglantine {

/// -x. f32, i32, u32; integers wrap.
EGLANTINE_API Tensor neg(const Tensor& x);

/// |x|. f32, i32, u32; the lowest i32 stays.
EGLANTINE_API Tensor abs(const Tensor& x);

/// -1, 0 or 1; NaN stays. f32, i32, u32.
EGLANTINE_API Tensor sign(const Tensor& x);

/// e^x. f32, 8 ULP.
EGLANTINE_API Tensor exp(const Tensor& x);

/// 2^x. f32, 8 ULP.
EGLANTINE_API Tensor exp2(const Tensor& x);

/// Natural logarithm; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log(const Tensor& x);

/// Logarithm to base 2; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log2(const Tensor& x);

/// log(1 + x), accurate near 0. f32, 8 ULP.
EGLANTINE_API Tensor log1p(const Tensor& x);

/// e^x - 1, accurate near 0. f32, 8 ULP.
EGLANTINE_API Tensor expm1(const Tensor& x);

/// Square root; NaN below 0. f32, 1 ULP.
EGLANTINE_API Tensor sqrt(const Tensor& x);

/// 1 / sqrt(x). f32, 1 ULP.
EGLANTINE_API Tensor rsqrt(const Tensor& x);

/// 1 / x. f32, 1 ULP.
EGLANTINE_API Tensor reciprocal(const Tensor& x);

/// x * x. f32, i32, u32.
EGLANTINE_API Tensor square(const Tensor& x);

/// Sine of radians. f32; for |x| <= 1e4 8 ULP, or 1e-6 absolute near its zeros.
EGLANTINE_API Tensor sin(const Tensor& x);

/// Cosine of radians. f32, as sin.
EGLANTINE_API Tensor cos(const Tensor& x);

/// Tangent of radians. f32, as sin.
EGLANTINE_API Tensor tan(const Tensor& x);

/// Hyperbolic tangent. f32, 8 ULP.
EGLANTINE_API Tensor tanh(const Tensor& x);

/// 1 / (1 + e^-x), finite for every finite x. f32, 8 ULP.
EGLANTINE_API Tensor sigmoid(const Tensor& x);

/// max(x, 0); NaN stays. f32, i32, u32.
EGLANTINE_API Tensor relu(const Tensor& x);

/// x * (1 + erf(x / sqrt(2))) / 2, the erf form. f32; 8 ULP for x >= -5, 1e-6 absolute below.
EGLANTINE_API Tensor gelu(const Tensor& x);

/// x * sigmoid(x). f32, 8 ULP.
EGLANTINE_API Tensor silu(const Tensor& x);

/// The error function. f32, 8 ULP.
EGLANTINE_API Tensor erf(const Tensor& x);

/// Largest whole number not above x. f32; integers stay.
EGLANTINE_API Tensor floor(const Tensor& x);

/// Smallest whole number not below x. f32; integers stay.
EGLANTINE_API Tensor ceil(const Tensor& x);

/// Nearest whole number, half to even. f32; integers stay.
EGLANTINE_API Tensor round(const Tensor& x);

/// The whole part, toward zero. f32; integers stay.
EGLANTINE_API Tensor trunc(const Tensor& x);

/// Whether x is NaN. Every dtype to boolean.
EGLANTINE_API Tensor isnan(const Tensor& x);

/// Whether x is an infinity. Every dtype to boolean.
EGLANTINE_API Tensor isinf(const Tensor& x);

/// Whether x is neither NaN nor an infinity. Every dtype to boolean.
EGLANTINE_API Tensor isfinite(const Tensor& x);

/// Whether x is 0 (false). Every dtype to boolean.
EGLANTINE_API Tensor logical_not(const Tensor& x);

}  // namespace eglantine
