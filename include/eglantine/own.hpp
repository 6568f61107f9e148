#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "eglantine/tensor.hpp"

/// Your own operations, compiled into the same fused kernels as the library's. They compute in f32; tensors are f32,
/// f16 or bf16, else DTypeError, and the result is rounded to the dtype that they meet in.
///
/// An operation is told apart by its GLSL, not by its name: a name may be used twice with different text. GLSL that
/// does not compile is a ShaderError, thrown when a result is read, with the driver's log beside your own line. The CPU
/// function is called from several threads at a time, so it must be pure and must not wait for a tensor; what it throws
/// is thrown where the result is read. docs/custom_operations.md has the rules, and what check_op verifies.
namespace eglantine {

/// An element-wise operation. With a vjp it has a derivative, to the order to which what vjp computes has some;
/// without, asking for one is an Error.
struct EGLANTINE_API ElementwiseOp {
  std::string name;                                  ///< for explain() and errors
  int arity = 1;                                     ///< how many operands, 1 to 8
  std::string glsl;                                  ///< one expression of x0, x1, ...: "x0 / (1.0 + exp(-x0))"
  std::function<float(std::span<const float>)> cpu;  ///< the same on the CPU, of `arity` numbers
  /// Optional: the cotangents of x, one each, of the result's shape; Tensor() stands for zeros. x are the operands as
  /// the operation reads them, broadcast together; they, the result and its cotangent are f32. Error, ShapeError and
  /// DTypeError for what is no such cotangents, when the derivative is asked for.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& x, const Tensor& result, const Tensor& cotangent)> vjp =
      {};
};

/// An associative way to combine two values, and the value that changes nothing.
struct EGLANTINE_API ReduceOp {
  std::string name;    ///< for explain() and errors
  float identity = 0;  ///< combine(identity, x) = x = combine(x, identity), bit for bit or as nearly as can be
  std::string glsl;    ///< one expression of a and b: "max(a, b)"
  std::function<float(float, float)> cpu;  ///< the same on the CPU
};

/// op of the tensors, which broadcast together: f32, or f16 and bf16, of which it computes in f32 and rounds once.
/// Throws Error when the number of tensors is not op.arity, when a part of op is empty, or its GLSL is more than one
/// expression; ShapeError when the shapes do not broadcast. Reading the result throws DeviceError when the device binds
/// fewer buffers than the tensors and it (OpenGL ES asks for 4).
EGLANTINE_API Tensor elementwise(const ElementwiseOp& op, const std::vector<Tensor>& tensors);

/// x combined over the axes ({}: all), in the order of the library's own sums (docs/reduction-tree.md), which is not
/// that of the elements: the operation should commute. Elements that are not there count as the identity, which is the
/// result over nothing. f32; of f16 and bf16 in f32, rounded once. Throws Error when a part of op is empty or its GLSL
/// is more than one expression.
EGLANTINE_API Tensor reduce(const Tensor& x, const ReduceOp& op, Axes axes = {}, bool keepdims = false);

/// x combined along `axis` up to each element, itself included (or not, when exclusive: the first is the identity).
/// f32; of f16 and bf16 in f32, rounded once. Repeats its bits on one device.
EGLANTINE_API Tensor scan(const Tensor& x, const ReduceOp& op, int axis, bool exclusive = false);

/// What check_op tries an operation on: all of it by default. The range is that in which the operation is used, for one
/// that is wrong, or differs between devices, elsewhere.
struct EGLANTINE_API CheckOptions {
  /// Finite inputs lie from low to high. An end that is left as it is, is open: infinity counts as beyond it.
  float low = std::numeric_limits<float>::lowest(), high = std::numeric_limits<float>::max();
  bool special_values = true;  ///< also zeros, ones, tiny and huge numbers, infinities and NaN, as far as in the range
  bool nan = true;             ///< NaN among the special values
};

/// Checks an operation: its GLSL on the current device (the best GL device when that is the CPU) against its CPU
/// function over random inputs and special values, to 1e-4 relative or 1e-6 absolute; for a ReduceOp also that the
/// identity changes no finite number, that combining is associative (to 1e-4 of the largest number on the way), and
/// whole reductions. Inputs are those of the options; the identity is always among them, and what combinations meet on
/// their way may lie outside the range. Throws Error with the first difference: the inputs and both results; Error for
/// a range that is empty or not finite; DeviceError when there is no GL device.
EGLANTINE_API void check_op(const ElementwiseOp& op, const CheckOptions& options = {});
EGLANTINE_API void check_op(const ReduceOp& op, const CheckOptions& options = {});

}  // namespace eglantine
