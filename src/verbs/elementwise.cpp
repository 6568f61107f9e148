#include "verbs/build.hpp"

/// Element-wise verbs, each a row of ops.def.
namespace eglantine {

using verbs::elementwise;

namespace {

/// Logical operations take truth values, so their verbs convert every dtype to boolean.
Tensor as_taken(Op op, const Tensor& x) { return info_of(op).types == Types::logical ? x.astype(DType::boolean) : x; }

Tensor unary(Op op, const Tensor& x) { return elementwise(op, as_taken(op, x)); }

Tensor binary(Op op, const Operand& a, const Operand& b) {
  const auto [x, y] = verbs::to_tensors(name_of(op), a, b);
  check::require_same_dtype(name_of(op), x.dtype(), y.dtype());
  return elementwise(op, as_taken(op, x), as_taken(op, y));
}

}  // namespace

// Every row of one or two arguments is a verb of its name; ops.hpp declares the public ones.
#define EG_VERB_1(name) \
  Tensor name(const Tensor& x) { return unary(Op::name, x); }
#define EG_VERB_2(name) \
  Tensor name(const Operand& a, const Operand& b) { return binary(Op::name, a, b); }
#define EG_VERB_3(name)
#define EG_ELEMENTWISE(name, arity, ...) EG_VERB_##arity(name)
#define EG_REDUCTION(...)
#include "ops.def"
#undef EG_ELEMENTWISE
#undef EG_REDUCTION
#undef EG_VERB_1
#undef EG_VERB_2
#undef EG_VERB_3

Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  check::require_types("where", Types::logical, condition.dtype());
  if (a.tensor() == nullptr && b.tensor() == nullptr)
    check::fail<DTypeError>(
        "where", "two numbers leave the dtype open; make one of them a tensor, for example full({}, value, dtype)");
  const auto [x, y] = verbs::to_tensors("where", a, b);
  check::require_same_device("where", x, y);
  check::require_same_device("where", condition, x);
  check::require_same_dtype("where", x.dtype(), y.dtype());
  const Shape shape =
      check::require_broadcast("where", condition.shape(), check::require_broadcast("where", x.shape(), y.shape()));
  return pend(
      make_elementwise(Op::where, x.dtype(),
                       {verbs::broadcast(condition, shape), verbs::broadcast(x, shape), verbs::broadcast(y, shape)}));
}

Tensor clip(const Tensor& x, const Operand& low, const Operand& high) {
  check::require_types("clip", Types::numeric, x.dtype());
  const Tensor from = verbs::to_tensor("clip", low, x);
  const Tensor to = verbs::to_tensor("clip", high, x);
  for (const Tensor& bound : {from, to}) {
    check::require_same_device("clip", x, bound);
    check::require_same_dtype("clip", x.dtype(), bound.dtype());
  }
  const Shape shape =
      check::require_broadcast("clip", check::require_broadcast("clip", x.shape(), from.shape()), to.shape());
  return pend(make_elementwise(
      Op::clip, x.dtype(), {verbs::broadcast(x, shape), verbs::broadcast(from, shape), verbs::broadcast(to, shape)}));
}

Tensor astype(const Tensor& x, DType dtype) {
  check::require_dtype("astype", dtype);
  if (x.dtype() == dtype) return x;
  return pend(make_elementwise(Op::cast, dtype, {x.node(), nullptr, nullptr}));
}

Tensor Tensor::astype(DType dtype) const { return eglantine::astype(*this, dtype); }

}  // namespace eglantine
