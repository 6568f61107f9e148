#include "eglantine/verbs/operators.hpp"
#include "verbs/build.hpp"

/// Compound assignments: verbs whose result must be what x is.
namespace eglantine {

namespace {

Tensor& assign(std::string_view function, Tensor& x, Tensor result) {
  if (result.shape() != x.shape())
    check::fail<ShapeError>(function, "the result would be ", to_string(result.shape()), ", and ", to_string(x.shape()),
                            " keeps its shape; assign the verb's result instead");
  if (result.dtype() != x.dtype())
    check::fail<DTypeError>(function, "the result would be ", name_of(result.dtype()), ", and a tensor of ",
                            name_of(x.dtype()), " keeps its dtype; convert with astype");
  return x = std::move(result);
}

}  // namespace

#define EG_COMPOUND(symbol, verb) \
  Tensor& operator symbol(Tensor& x, const Operand& y) { return assign(#symbol, x, verb(x, y)); }
EG_COMPOUND(+=, add)
EG_COMPOUND(-=, sub)
EG_COMPOUND(*=, mul)
EG_COMPOUND(/=, div)
EG_COMPOUND(%=, remainder)
EG_COMPOUND(&=, bit_and)
EG_COMPOUND(|=, bit_or)
EG_COMPOUND(^=, bit_xor)
EG_COMPOUND(<<=, shift_left)
EG_COMPOUND(>>=, shift_right)
#undef EG_COMPOUND

}  // namespace eglantine
