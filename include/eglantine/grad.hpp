#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "eglantine/tensor.hpp"

/// Derivatives of functions that are written with this library's verbs. They are tensors like others: lazy, fused, on
/// every device, and with derivatives of their own, to any order. A function may read values while it runs, call any
/// verb, and throw. Ties share a derivative equally; where() sends exactly nothing to the side that it does not take.
/// Asking for a derivative that a verb does not have is an Error that names what has none.
namespace eglantine {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensors(const Tensors&)>;
using ScalarFunction = std::function<Tensor(const Tensors&)>;  ///< gives one number: a float of rank 0
/// The cotangents of x, of a function's arguments and results and the cotangents of these.
using Backward = std::function<Tensors(const Tensors& x, const Tensors& results, const Tensors& cotangents)>;

/// df/dx[i], of x[i]'s shape and dtype (of integers and booleans f32 zeros). Throws ShapeError when f's result has
/// another rank than 0, DTypeError when it is no float.
EGLANTINE_API Tensors grad(const ScalarFunction& f, const Tensors& x);
/// f's result too.
EGLANTINE_API std::pair<Tensor, Tensors> value_and_grad(const ScalarFunction& f, const Tensors& x);

/// f's results, and for each x[i] the sum over results k of cotangents[k] times d result[k] / d x[i]: a product of the
/// cotangents and the Jacobian. One cotangent for each result, of its shape and dtype (of an integer or boolean result
/// any, or Tensor()), else Error, ShapeError, DTypeError.
EGLANTINE_API std::pair<Tensors, Tensors> vjp(const Function& f, const Tensors& x, const Tensors& cotangents);

/// f's results, and for each the sum over i of d result / d x[i] times tangents[i]: a product of the Jacobian and the
/// tangents. One tangent for each x, of its shape and dtype, else Error, ShapeError, DTypeError.
EGLANTINE_API std::pair<Tensors, Tensors> jvp(const Function& f, const Tensors& x, const Tensors& tangents);

/// d result / d x[i], of result.shape + x[i].shape, for each i: a backward pass for each element of the result. Error
/// when f has several results.
EGLANTINE_API Tensors jacobian(const Function& f, const Tensors& x);
/// d^2 f / dx dx, of x.shape + x.shape.
EGLANTINE_API Tensor hessian(const ScalarFunction& f, const Tensor& x);

/// x, which derivatives take for a constant.
EGLANTINE_API Tensor stop_gradient(const Tensor& x);
/// f, whose intermediate values are computed again for the derivative instead of being kept.
EGLANTINE_API Function checkpoint(const Function& f);
/// f with a derivative of one's own: backward(x, f's results, their cotangents) gives the cotangents of x, one each, of
/// its shape and dtype; Tensor() stands for zeros.
EGLANTINE_API Function custom_vjp(const Function& f, Backward backward);

/// Compares the derivatives of f, weighted sums of its results, with central differences (f(x + step) - f(x - step)) /
/// (2 step), element by element. Throws Error with the first that is further off than tolerance * max(1, |derivative|).
EGLANTINE_API void check_gradients(const Function& f, const Tensors& x, double step = 1e-2, double tolerance = 1e-2);

}  // namespace eglantine
