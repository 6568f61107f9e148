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

/// Whether the sign bit is set: of negative numbers, -0, and NaN of that sign. f32, i32, u32 to boolean.
EGLANTINE_API Tensor signbit(const Tensor& x);

/// e^x. f32, 8 ULP.
EGLANTINE_API Tensor exp(const Tensor& x);

/// 2^x. f32, 8 ULP.
EGLANTINE_API Tensor exp2(const Tensor& x);

/// 10^x. f32, 8 ULP.
EGLANTINE_API Tensor exp10(const Tensor& x);

/// Natural logarithm; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log(const Tensor& x);

/// Logarithm to base 2; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log2(const Tensor& x);

/// Logarithm to base 10; NaN below 0. f32, 8 ULP.
EGLANTINE_API Tensor log10(const Tensor& x);

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

/// Cube root, of the sign of x. f32, 8 ULP.
EGLANTINE_API Tensor cbrt(const Tensor& x);

/// x * x. f32, i32, u32.
EGLANTINE_API Tensor square(const Tensor& x);

/// Sine of radians, of any finite number. f32; 8 ULP, or 1e-6 absolute near its zeros.
EGLANTINE_API Tensor sin(const Tensor& x);

/// Cosine of radians. f32, as sin.
EGLANTINE_API Tensor cos(const Tensor& x);

/// Tangent of radians. f32, as sin.
EGLANTINE_API Tensor tan(const Tensor& x);

/// The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1]. f32, 8 ULP.
EGLANTINE_API Tensor asin(const Tensor& x);

/// The angle in [0, pi] whose cosine is x; NaN outside [-1, 1]. f32, 8 ULP.
EGLANTINE_API Tensor acos(const Tensor& x);

/// The angle in [-pi/2, pi/2] whose tangent is x. f32, 8 ULP.
EGLANTINE_API Tensor atan(const Tensor& x);

/// Hyperbolic sine. f32, 8 ULP.
EGLANTINE_API Tensor sinh(const Tensor& x);

/// Hyperbolic cosine. f32, 8 ULP.
EGLANTINE_API Tensor cosh(const Tensor& x);

/// Hyperbolic tangent. f32, 8 ULP.
EGLANTINE_API Tensor tanh(const Tensor& x);

/// The number whose hyperbolic sine is x. f32, 8 ULP.
EGLANTINE_API Tensor asinh(const Tensor& x);

/// The number from 0 on whose hyperbolic cosine is x; NaN below 1. f32, 8 ULP.
EGLANTINE_API Tensor acosh(const Tensor& x);

/// The number whose hyperbolic tangent is x; an infinity at 1 and -1, NaN outside. f32, 8 ULP.
EGLANTINE_API Tensor atanh(const Tensor& x);

/// Radians to degrees: x * 180 / pi. f32, 1 ULP.
EGLANTINE_API Tensor rad2deg(const Tensor& x);

/// Degrees to radians: x * pi / 180. f32, 1 ULP.
EGLANTINE_API Tensor deg2rad(const Tensor& x);

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

/// 1 - erf(x), accurate where it is small. f32, 8 ULP.
EGLANTINE_API Tensor erfc(const Tensor& x);

/// The number whose erf is x; an infinity at 1 and -1, NaN outside. f32, 8 ULP.
EGLANTINE_API Tensor erfinv(const Tensor& x);

/// log |gamma(x)|; infinity at 0, -1, -2 and so on. f32; 8 ULP, below 0 or 2e-6 absolute near its zeros.
EGLANTINE_API Tensor lgamma(const Tensor& x);

/// The derivative of lgamma; an infinity of the sign of -x at 0, NaN at -1, -2 and so on. f32; 8 ULP, below 0 or 2e-5
/// absolute near its zeros.
EGLANTINE_API Tensor digamma(const Tensor& x);

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
