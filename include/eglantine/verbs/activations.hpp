#pragma once

#include <optional>

#include "eglantine/operand.hpp"

/// Element-wise activation functions beside relu, sigmoid, silu and gelu, as PyTorch defines them. All give f32,
/// of f16 and bf16 their dtype, of integers and booleans f32, but nan_to_num. NaN stays NaN.
namespace eglantine {

/// log(1 + e^x), finite for every finite x. 8 ULP.
EGLANTINE_API Tensor softplus(const Tensor& x);

/// log(sigmoid(x)) = -softplus(-x). 8 ULP.
EGLANTINE_API Tensor log_sigmoid(const Tensor& x);

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2, the approximation of gelu; -0 at -infinity. 8 ULP.
EGLANTINE_API Tensor gelu_tanh(const Tensor& x);

/// x for x > 0, else alpha * (e^x - 1). 8 ULP. Throws Error unless alpha is finite.
EGLANTINE_API Tensor elu(const Tensor& x, double alpha = 1);

/// 1.0507 * elu(x, 1.67326), with the constants of Klambauer and others (2017). 8 ULP.
EGLANTINE_API Tensor selu(const Tensor& x);

/// x for x > 0, else alpha * (e^(x / alpha) - 1). 8 ULP. Throws Error unless alpha is finite and not 0.
EGLANTINE_API Tensor celu(const Tensor& x, double alpha = 1);

/// x for x > 0, else slope * x. Correctly rounded. Throws Error unless the slope is finite.
EGLANTINE_API Tensor leaky_relu(const Tensor& x, double slope = 0.01);

/// x for x > 0, else slope * x, with a slope for each element or one that broadcasts. Correctly rounded.
EGLANTINE_API Tensor prelu(const Operand& x, const Operand& slope);

/// min(max(x, low), high). Exact. Throws Error unless low <= high.
EGLANTINE_API Tensor hardtanh(const Tensor& x, double low = -1, double high = 1);

/// min(max(x + 3, 0), 6) / 6. 8 ULP.
EGLANTINE_API Tensor hardsigmoid(const Tensor& x);

/// x * hardsigmoid(x); -0 at -infinity. 8 ULP.
EGLANTINE_API Tensor hardswish(const Tensor& x);

/// min(max(x, 0), 6). Exact.
EGLANTINE_API Tensor relu6(const Tensor& x);

/// x * tanh(softplus(x)); -0 at -infinity. 8 ULP.
EGLANTINE_API Tensor mish(const Tensor& x);

/// x / (1 + |x|). 8 ULP.
EGLANTINE_API Tensor softsign(const Tensor& x);

/// x - lambda above lambda, x + lambda below -lambda, else 0. Correctly rounded. Throws Error unless lambda is finite
/// and not negative.
EGLANTINE_API Tensor softshrink(const Tensor& x, double lambda = 0.5);

/// x where |x| > lambda, else 0. Exact. Throws Error unless lambda is finite and not negative.
EGLANTINE_API Tensor hardshrink(const Tensor& x, double lambda = 0.5);

/// x - tanh(x), accurate near 0. 8 ULP.
EGLANTINE_API Tensor tanhshrink(const Tensor& x);

/// x where x > at, else value. Exact. Throws DTypeError for an `at` that does not fit f32 or a value that does not fit
/// the result's dtype, Error for a NaN as `at`.
EGLANTINE_API Tensor threshold(const Tensor& x, Scalar at, Scalar value);

/// x with NaN and the infinities replaced: by `nan`, and by `posinf` and `neginf` or else the largest and the lowest
/// of x's dtype. Integers and booleans stay as they are. Exact. Throws DTypeError for a number that does not fit x's
/// dtype, of integers and booleans f32.
EGLANTINE_API Tensor nan_to_num(const Tensor& x, double nan = 0, std::optional<double> posinf = {},
                                std::optional<double> neginf = {});

}  // namespace eglantine
