#pragma once

#include "eglantine/operand.hpp"

/// Element-wise verbs of two and three operands, which broadcast together.
namespace eglantine {

/// a + b. f32 (correctly rounded), i32, u32 (they wrap).
EGLANTINE_API Tensor add(const Operand& a, const Operand& b);

/// a - b. As add.
EGLANTINE_API Tensor sub(const Operand& a, const Operand& b);

/// a * b. As add.
EGLANTINE_API Tensor mul(const Operand& a, const Operand& b);

/// a / b. f32: 1 ULP. Integers truncate toward zero; division by 0 gives 0; the lowest i32 / -1 wraps.
EGLANTINE_API Tensor div(const Operand& a, const Operand& b);

/// a to the power b, as C powf: pow(x, 0) = 1, a negative base with a whole exponent. f32, 8 ULP; i32 and u32 wrap, a
/// negative exponent truncates. Few products and roots for most numbers from -4 to 4 that are whole or a half more.
EGLANTINE_API Tensor pow(const Operand& a, const Operand& b);

/// floor(a / b). f32 as numpy.floor_divide: exact below 2^24 and 1 ULP beyond, a / 0 for b = 0, NaN for other infinite
/// a. Integers floor, unlike div; by 0 they give 0; the lowest i32 // -1 wraps.
EGLANTINE_API Tensor floor_divide(const Operand& a, const Operand& b);

/// a - b * floor(a / b): the divisor's sign, as Python's %. f32: correctly rounded for all arguments, NaN by 0;
/// integers by 0 give 0.
EGLANTINE_API Tensor remainder(const Operand& a, const Operand& b);

/// a - b * trunc(a / b): the dividend's sign, as fmod of C. f32: exact, NaN by 0; integers by 0 give 0.
EGLANTINE_API Tensor fmod(const Operand& a, const Operand& b);

/// The larger; NaN when one is NaN. f32, i32, u32.
EGLANTINE_API Tensor maximum(const Operand& a, const Operand& b);

/// The smaller; NaN when one is NaN. f32, i32, u32.
EGLANTINE_API Tensor minimum(const Operand& a, const Operand& b);

/// The larger; where one is NaN, the other. f32, i32, u32.
EGLANTINE_API Tensor fmax(const Operand& a, const Operand& b);

/// The smaller; where one is NaN, the other. f32, i32, u32.
EGLANTINE_API Tensor fmin(const Operand& a, const Operand& b);

/// The angle of the point (b, a), in [-pi, pi]: -pi where a is -0 and b negative. f32, 8 ULP.
EGLANTINE_API Tensor atan2(const Operand& a, const Operand& b);

/// sqrt(a^2 + b^2), without overflow on the way; infinity where one is infinite, as hypot of C. f32, 8 ULP.
EGLANTINE_API Tensor hypot(const Operand& a, const Operand& b);

/// |a| with the sign bit of b. f32.
EGLANTINE_API Tensor copysign(const Operand& a, const Operand& b);

/// log(e^a + e^b), finite for all finite a and b. f32; 8 ULP, or 1e-6 absolute near its zeros.
EGLANTINE_API Tensor logaddexp(const Operand& a, const Operand& b);

/// log2(2^a + 2^b), as logaddexp.
EGLANTINE_API Tensor logaddexp2(const Operand& a, const Operand& b);

/// a * log(b); 0 where a is 0, unless b is NaN. f32, 8 ULP.
EGLANTINE_API Tensor xlogy(const Operand& a, const Operand& b);

/// Comparisons, to boolean. Every dtype; NaN is unequal to everything.
EGLANTINE_API Tensor eq(const Operand& a, const Operand& b);
EGLANTINE_API Tensor ne(const Operand& a, const Operand& b);
EGLANTINE_API Tensor lt(const Operand& a, const Operand& b);
EGLANTINE_API Tensor le(const Operand& a, const Operand& b);
EGLANTINE_API Tensor gt(const Operand& a, const Operand& b);
EGLANTINE_API Tensor ge(const Operand& a, const Operand& b);

/// Whether |a - b| <= atol + rtol * |b|, where one is infinite whether they are equal; NaN is close to nothing, or to
/// NaN where equal_nan. Every dtype to boolean; the bound is computed in f32. Throws Error unless both tolerances are
/// finite as f32 and not negative.
EGLANTINE_API Tensor isclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                             bool equal_nan = false);

// Of whole tensors: these wait for the answer.

/// Whether all elements are close, as isclose says; shapes broadcast.
EGLANTINE_API bool allclose(const Operand& a, const Operand& b, double rtol = 1e-5, double atol = 1e-8,
                            bool equal_nan = false);

/// Whether shapes and all elements are equal; NaN equals nothing.
EGLANTINE_API bool array_equal(const Tensor& a, const Tensor& b);

/// Whether a and b are handles to one value, or both none; looks at no element.
EGLANTINE_API bool same(const Tensor& a, const Tensor& b);

/// Of the truth values (x != 0) of a and b, to boolean. Every dtype.
EGLANTINE_API Tensor logical_and(const Operand& a, const Operand& b);
EGLANTINE_API Tensor logical_or(const Operand& a, const Operand& b);
EGLANTINE_API Tensor logical_xor(const Operand& a, const Operand& b);

/// Bitwise; of booleans logical. i32, u32, boolean.
EGLANTINE_API Tensor bit_not(const Tensor& x);
EGLANTINE_API Tensor bit_and(const Operand& a, const Operand& b);
EGLANTINE_API Tensor bit_or(const Operand& a, const Operand& b);
EGLANTINE_API Tensor bit_xor(const Operand& a, const Operand& b);

/// a * 2^b and floor(a / 2^b) as on infinitely many bits: a shift by less than 0 or more than 31 gives 0, or the sign
/// for a right shift of i32. i32, u32.
EGLANTINE_API Tensor shift_left(const Operand& a, const Operand& b);
EGLANTINE_API Tensor shift_right(const Operand& a, const Operand& b);

/// a where the condition holds, else b. condition: boolean. a, b: every dtype; of two, as result_type.
EGLANTINE_API Tensor where(const Tensor& condition, const Operand& a, const Operand& b);

/// min(max(x, low), high); NaN stays. f32, i32, u32.
EGLANTINE_API Tensor clip(const Tensor& x, const Operand& low, const Operand& high);

/// a + weight * (b - a), exactly a and b at the weights 0 and 1 where both are finite. f32; 8 ULP between numbers of
/// one sign with a weight in [0, 1], else 4 eps of the largest of |a|, |b|, |weight * a| and |weight * b|.
EGLANTINE_API Tensor lerp(const Operand& a, const Operand& b, const Operand& weight);

}  // namespace eglantine
