#pragma once

#include "eglantine/verbs/binary.hpp"
#include "eglantine/verbs/unary.hpp"

/// Operators: each is the verb named beside it.
namespace eglantine {

// clang-format off
#define EG_OPERATOR(symbol, verb)                                                                     \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return verb(a, b); }              \
  inline Tensor operator symbol(const Tensor& a, Scalar b) { return verb(a, b); }                     \
  inline Tensor operator symbol(Scalar a, const Tensor& b) { return verb(a, b); }
// clang-format on

EG_OPERATOR(+, add)
EG_OPERATOR(-, sub)
EG_OPERATOR(*, mul)
EG_OPERATOR(/, div)
EG_OPERATOR(%, remainder)
EG_OPERATOR(&, bit_and)
EG_OPERATOR(|, bit_or)
EG_OPERATOR(^, bit_xor)
EG_OPERATOR(<<, shift_left)
EG_OPERATOR(>>, shift_right)
EG_OPERATOR(<, lt)
EG_OPERATOR(<=, le)
EG_OPERATOR(>, gt)
EG_OPERATOR(>=, ge)
// Of elements, to boolean. There is no conversion to bool: if (array_equal(x, y)) asks for all, same(x, y) for handles.
EG_OPERATOR(==, eq)
EG_OPERATOR(!=, ne)
#undef EG_OPERATOR

inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator+(const Tensor& x) { return x; }
inline Tensor operator~(const Tensor& x) { return bit_not(x); }
inline Tensor operator!(const Tensor& x) { return logical_not(x); }

// x = x + y and so on. x keeps its shape, else ShapeError, and its dtype, else DTypeError; it is unchanged then. The
// value that other handles share does not change.
EGLANTINE_API Tensor& operator+=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator-=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator*=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator/=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator%=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator&=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator|=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator^=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator<<=(Tensor& x, const Operand& y);
EGLANTINE_API Tensor& operator>>=(Tensor& x, const Operand& y);

}  // namespace eglantine
