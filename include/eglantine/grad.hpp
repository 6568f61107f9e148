#pragma once

#include <functional>
#include <optional>
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

/// f, mapped over an axis of its arguments: gives f of the slices of x[i] along axes[i] (without that axis; negative
/// axes count from the end), stacked along out_axis of each result. Where axes[i] is nullopt, f gets x[i] as it is,
/// each time. A result that no slice leads to is repeated. The slices run together: f is called once, and every value
/// that it makes gets one more axis. Where that cannot be (f reads a value that depends on a slice, a value has no room
/// for an axis more, or has a derivative of its own that is asked for outside), f is called for each slice. Bits of
/// sums may differ from those of one slice. Nests, also with derivatives in both directions. Throws Error when no axis
/// is mapped or their number is not that of x; ShapeError when an axis is out of range, their lengths differ, or
/// out_axis is out of range of a result; what f throws.
EGLANTINE_API Function vmap(const Function& f, std::vector<std::optional<int>> axes, int out_axis = 0);

/// x, which derivatives take for a constant.
EGLANTINE_API Tensor stop_gradient(const Tensor& x);
/// f, whose intermediate values are computed again for the derivative instead of being kept. Derivatives go through its
/// arguments alone: Error where f captures a float that one is being taken by, which is passed as an argument instead
/// (nn::checkpoint, of nn.hpp, passes a model's parameters), or stop_gradient of it taken; also of what is rounded.
EGLANTINE_API Function checkpoint(const Function& f);
/// f with a derivative of one's own: backward(x, f's results, their cotangents) gives the cotangents of x, one each, of
/// its shape and dtype; Tensor() stands for zeros. What f captures is as of checkpoint().
EGLANTINE_API Function custom_vjp(const Function& f, Backward backward);

/// Compares the derivatives of f, weighted sums of its results, with central differences (f(x + step) - f(x - step)) /
/// (2 step), element by element. Throws Error with the first that is further off than tolerance * max(1, |derivative|).
EGLANTINE_API void check_gradients(const Function& f, const Tensors& x, double step = 1e-2, double tolerance = 1e-2);

}  // namespace eglantine
