#include "verbs/check.hpp"

/// Element-wise verbs: each is the row of its name in ops.def.
namespace eglantine {

using verbs::elementwise;

namespace {

Tensor binary(Op op, const Operand& a, const Operand& b) {
  const auto [x, y] = verbs::to_tensors(name_of(op), a, b);
  return elementwise(op, x, y);
}

/// Logical verbs look at truth values, so every dtype will do.
Tensor truth(const Tensor& x) { return x.astype(DType::boolean); }

Tensor logical(Op op, const Operand& a, const Operand& b) {
  const auto [x, y] = verbs::to_tensors(name_of(op), a, b);
  verbs::require_same_dtype(name_of(op), x.dtype(), y.dtype());
  return elementwise(op, truth(x), truth(y));
}

/// Whole numbers stay what they are.
Tensor rounded(Op op, const Tensor& x) {
  verbs::require_types(name_of(op), Types::numeric, x.dtype());
  return x.dtype() == DType::f32 ? elementwise(op, x) : x;
}

}  // namespace

#define EG_UNARY_VERB(name) \
  Tensor name(const Tensor& x) { return elementwise(Op::name, x); }
EG_UNARY_VERB(neg)
EG_UNARY_VERB(abs)
EG_UNARY_VERB(sign)
EG_UNARY_VERB(exp)
EG_UNARY_VERB(exp2)
EG_UNARY_VERB(log)
EG_UNARY_VERB(log2)
EG_UNARY_VERB(log1p)
EG_UNARY_VERB(expm1)
EG_UNARY_VERB(sqrt)
EG_UNARY_VERB(rsqrt)
EG_UNARY_VERB(reciprocal)
EG_UNARY_VERB(square)
EG_UNARY_VERB(sin)
EG_UNARY_VERB(cos)
EG_UNARY_VERB(tan)
EG_UNARY_VERB(tanh)
EG_UNARY_VERB(sigmoid)
EG_UNARY_VERB(relu)
EG_UNARY_VERB(gelu)
EG_UNARY_VERB(silu)
EG_UNARY_VERB(erf)
EG_UNARY_VERB(isnan)
EG_UNARY_VERB(isinf)
EG_UNARY_VERB(isfinite)
#undef EG_UNARY_VERB

Tensor floor(const Tensor& x) { return rounded(Op::floor, x); }
Tensor ceil(const Tensor& x) { return rounded(Op::ceil, x); }
Tensor round(const Tensor& x) { return rounded(Op::round, x); }
Tensor trunc(const Tensor& x) { return rounded(Op::trunc, x); }
Tensor logical_not(const Tensor& x) { return elementwise(Op::logical_not, truth(x)); }

#define EG_BINARY_VERB(name) \
  Tensor name(const Operand& a, const Operand& b) { return binary(Op::name, a, b); }
EG_BINARY_VERB(add)
EG_BINARY_VERB(sub)
EG_BINARY_VERB(mul)
EG_BINARY_VERB(div)
EG_BINARY_VERB(pow)
EG_BINARY_VERB(remainder)
EG_BINARY_VERB(maximum)
EG_BINARY_VERB(minimum)
EG_BINARY_VERB(atan2)
EG_BINARY_VERB(eq)
EG_BINARY_VERB(ne)
EG_BINARY_VERB(lt)
EG_BINARY_VERB(le)
EG_BINARY_VERB(gt)
EG_BINARY_VERB(ge)
EG_BINARY_VERB(bit_and)
EG_BINARY_VERB(bit_or)
EG_BINARY_VERB(bit_xor)
EG_BINARY_VERB(shift_left)
EG_BINARY_VERB(shift_right)
#undef EG_BINARY_VERB

Tensor logical_and(const Operand& a, const Operand& b) { return logical(Op::logical_and, a, b); }
Tensor logical_or(const Operand& a, const Operand& b) { return logical(Op::logical_or, a, b); }
Tensor logical_xor(const Operand& a, const Operand& b) { return logical(Op::logical_xor, a, b); }

Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  verbs::require_types("where", Types::logical, condition.dtype());
  if (a.tensor() == nullptr && b.tensor() == nullptr)
    verbs::fail<DTypeError>("where", "two numbers leave the dtype open; make one of them a tensor, for example full({}, value, dtype)");
  const auto [x, y] = verbs::to_tensors("where", a, b);
  verbs::require_same_device("where", x, y);
  verbs::require_same_device("where", condition, x);
  verbs::require_same_dtype("where", x.dtype(), y.dtype());
  const Shape shape = verbs::require_broadcast("where", condition.shape(), verbs::require_broadcast("where", x.shape(), y.shape()));
  return Tensor(make_elementwise(Op::where, x.dtype(),
                                 {verbs::broadcast(condition, shape), verbs::broadcast(x, shape), verbs::broadcast(y, shape)}));
}

Tensor clip(const Tensor& x, const Operand& low, const Operand& high) {
  verbs::require_types("clip", Types::numeric, x.dtype());
  const Tensor from = verbs::to_tensor("clip", low, x);
  const Tensor to = verbs::to_tensor("clip", high, x);
  for (const Tensor& bound : {from, to}) {
    verbs::require_same_device("clip", x, bound);
    verbs::require_same_dtype("clip", x.dtype(), bound.dtype());
  }
  const Shape shape = verbs::require_broadcast("clip", x.shape(), verbs::require_broadcast("clip", from.shape(), to.shape()));
  return Tensor(make_elementwise(Op::clip, x.dtype(), {verbs::broadcast(x, shape), verbs::broadcast(from, shape), verbs::broadcast(to, shape)}));
}

Tensor astype(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return Tensor(make_elementwise(Op::cast, dtype, {x.node(), nullptr, nullptr}));
}

Tensor Tensor::astype(DType dtype) const { return eglantine::astype(*this, dtype); }

}  // namespace eglantine
