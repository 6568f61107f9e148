#include <bit>

#include "eglantine/own.hpp"
#include "verbs/build.hpp"

/// Users' operations: element-wise and reductions. `scan` is in scan.cpp.
namespace eglantine {

Tensor elementwise(const ElementwiseOp& op, const std::vector<Tensor>& tensors) {
  constexpr std::string_view name = "elementwise";
  check::require_whole(name, op);
  if (tensors.size() != static_cast<size_t>(op.arity))
    check::fail<Error>(name, "\"", op.name, "\" takes ", std::to_string(op.arity), " tensors, got ",
                       std::to_string(tensors.size()));
  Shape shape = tensors[0].shape();
  for (const Tensor& x : tensors) {
    check::require_same_device(name, tensors[0], x);
    check::require_types(name, Types::real, x.dtype());
    shape = check::require_broadcast(name, shape, x.shape());
  }
  std::vector<NodePtr> args;
  DType dtype = tensors[0].dtype();
  for (const Tensor& x : tensors) {
    dtype = check::common_dtype(name, dtype, x.dtype());
    args.push_back(verbs::broadcast(verbs::to_f32(x), shape));
  }
  return pend(make_custom(std::make_shared<const ElementwiseOp>(op), std::move(args))).astype(dtype);
}

Tensor reduce(const Tensor& x, const ReduceOp& op, Axes over, bool keepdims) {
  constexpr std::string_view name = "reduce";
  check::require_whole(name, op);
  check::require_types(name, Types::real, x.dtype());
  if (is_narrow(x.dtype())) return reduce(verbs::widened(x), op, over, keepdims).astype(x.dtype());
  const Axes axes = verbs::reduction_axes(name, over, x.shape());
  const Shape result = verbs::reduced_shape(x.shape(), axes, keepdims);
  if (x.size() == 0)
    return Tensor(make_constant(x.node()->device, DType::f32, result, std::bit_cast<uint32_t>(op.identity)));
  // One element has nothing to combine with but the identity.
  if (verbs::count_over(name, x.shape(), axes) == 1) return x.reshape(result);
  return pend(make_reduce(Reduction::custom, DType::f32, x.node(), axes, std::make_shared<const ReduceOp>(op)))
      .reshape(result);
}

}  // namespace eglantine
