#include <bit>
#include <limits>

#include "verbs/build.hpp"
#include "verbs/elementwise/powers.hpp"
#include "verbs/reduce/memory_order.hpp"

/// Element-wise verbs, each a row of ops.def.
namespace eglantine {

using verbs::elementwise;

namespace {

/// Logical operations take truth values (x != 0) and functions with real values f32: their verbs convert.
Tensor as_taken(Op op, const Tensor& x) {
  const Types types = info_of(op).types;
  if (types == Types::logical) return x.astype(DType::boolean);
  return types == Types::real ? verbs::to_real(x) : x;
}

/// The operation on two booleans: sums and maxima are or, products and minima are and, bits are truth values.
Op of_booleans(Op op) {
  switch (op) {
    case Op::add:
    case Op::maximum:
    case Op::fmax:
    case Op::bit_or:
      return Op::logical_or;
    case Op::mul:
    case Op::minimum:
    case Op::fmin:
    case Op::bit_and:
      return Op::logical_and;
    case Op::bit_xor:
      return Op::logical_xor;
    case Op::bit_not:
      return Op::logical_not;
    default:
      return op;
  }
}

Tensor unary(Op op, const Tensor& x) {
  if (x.dtype() == DType::boolean) op = of_booleans(op);
  return elementwise(op, as_taken(op, x));
}

/// A number as an exponent of x, in x's dtype. NaN: another operation, or a tensor.
double exponent_of(Op op, const Operand& operand, const Tensor& as_tensor) {
  const bool is_number = op == Op::pow && operand.scalar() != nullptr && as_tensor.dtype() != DType::boolean;
  if (!is_number) return std::numeric_limits<double>::quiet_NaN();
  const uint32_t bits = as_tensor.node()->as<nodes::Constant>()->bits;
  if (is_float(as_tensor.dtype())) return std::bit_cast<float>(bits);
  return as_tensor.dtype() == DType::u32 ? static_cast<double>(bits) : std::bit_cast<int32_t>(bits);
}

Tensor binary(Op op, const Operand& a, const Operand& b) {
  if (info_of(op).types == Types::logical && a.tensor() != nullptr && b.tensor() != nullptr)
    return elementwise(op, as_taken(op, *a.tensor()), as_taken(op, *b.tensor()));
  const auto [x, y] = verbs::to_tensors(name_of(op), a, b);
  if (x.dtype() == DType::boolean) op = of_booleans(op);
  if (const auto power = verbs::power_of(x, exponent_of(op, b, y))) return *power;
  return elementwise(op, as_taken(op, x), as_taken(op, y));
}

}  // namespace

// Every row of one or two arguments is a verb of its name; include/eglantine/verbs declares them.
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

namespace {

Tensor where_of_numbers(const Tensor& condition, Scalar a, Scalar b) {
  const DType dtype = check::common_dtype("where", a.dtype(), b.dtype());
  const Tensor beside = zeros(condition.shape(), dtype, condition.device());
  return where(condition, verbs::to_tensor("where", a, beside), verbs::to_tensor("where", b, beside));
}

}  // namespace

Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  check::require_types("where", Types::logical, condition.dtype());
  if (a.tensor() == nullptr && b.tensor() == nullptr) return where_of_numbers(condition, *a.scalar(), *b.scalar());
  const auto [x, y] = verbs::to_tensors("where", a, b);
  check::require_same_device("where", x, y);
  check::require_same_device("where", condition, x);
  const Shape shape =
      check::require_broadcast("where", condition.shape(), check::require_broadcast("where", x.shape(), y.shape()));
  return pend(
      make_elementwise(Op::where, x.dtype(),
                       {verbs::broadcast(condition, shape), verbs::broadcast(x, shape), verbs::broadcast(y, shape)}));
}

namespace {

/// The dtype that a tensor's dtype meets an operand's in; numbers take any.
DType met(std::string_view function, DType dtype, const Operand& operand) {
  return operand.tensor() == nullptr ? dtype : check::common_dtype(function, dtype, operand.tensor()->dtype());
}

Tensor tensor_or_none(const Operand& operand) { return operand.tensor() == nullptr ? Tensor() : *operand.tensor(); }

}  // namespace

Tensor clip(const Tensor& x, const Operand& low, const Operand& high) {
  const Tensor beside = x.astype(met("clip", met("clip", x.dtype(), low), high));
  const Tensor from = verbs::to_tensor("clip", low, beside), to = verbs::to_tensor("clip", high, beside);
  for (const Tensor& bound : {from, to}) check::require_same_device("clip", x, bound);
  const DType dtype = met("clip", met("clip", x.dtype(), from), to);
  check::require_types("clip", Types::numeric, dtype);
  const Shape shape =
      check::require_broadcast("clip", check::require_broadcast("clip", x.shape(), from.shape()), to.shape());
  const auto argument = [&](const Tensor& y) { return verbs::broadcast(y.astype(dtype), shape); };
  return pend(make_elementwise(Op::clip, dtype, {argument(x), argument(from), argument(to)}));
}

Tensor lerp(const Operand& a, const Operand& b, const Operand& weight) {
  const DType dtype = verbs::real_dtype({tensor_or_none(a), tensor_or_none(b), tensor_or_none(weight)});
  Tensor beside = zeros({});
  for (const Operand* operand : {&weight, &b, &a})
    if (operand->tensor() != nullptr) beside = operand->tensor()->astype(dtype);
  const auto argument = [&](const Operand& operand) { return verbs::to_tensor("lerp", operand, beside); };
  const Tensor x = argument(a), y = argument(b), w = argument(weight);
  for (const Tensor& other : {y, w}) check::require_same_device("lerp", x, other);
  check::common_dtype("lerp", check::common_dtype("lerp", x.dtype(), y.dtype()), w.dtype());
  const Shape shape =
      check::require_broadcast("lerp", check::require_broadcast("lerp", x.shape(), y.shape()), w.shape());
  const auto node = [&](const Tensor& v) { return verbs::broadcast(v.astype(dtype), shape); };
  return pend(make_elementwise(Op::lerp, dtype, {node(x), node(y), node(w)}));
}

Tensor astype(const Tensor& x, DType dtype) {
  check::require_dtype("astype", dtype);
  if (x.dtype() == dtype) return x;
  const auto of = [&](const Tensor& at, int = 0) {
    return pend(make_elementwise(Op::cast, dtype, {at.node(), nullptr, nullptr}));
  };
  // To wider numbers, which what reads them takes in, and of what is differentiated: as x is read.
  const bool narrows = is_narrow(dtype) && x.dtype() != DType::boolean && !x.node()->is_traced();
  return narrows ? verbs::in_memory_order(x, 0, of) : of(x);
}

Tensor Tensor::astype(DType dtype) const { return eglantine::astype(*this, dtype); }

}  // namespace eglantine
