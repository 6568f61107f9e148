"""Element-wise verbs of one, two and three operands."""

import math

import numpy as np

from .rules import (ANY, BOOL, F32, I32, NUMERIC, Refused, U32, WHOLE, arithmetic, beside, common, element, is_number, meet,
                    narrow, only, real, result_type, truth, wide)
from .table import verb


# ---- one operand


def one(drawn, dtypes=ANY):
    return [drawn.array(drawn.dtype(dtypes), drawn.shape())]


def numeric(drawn):
    return one(drawn, NUMERIC if drawn.chance(0.95) else (BOOL,))


def between(low, high):
    return lambda drawn: [drawn.real(drawn.shape(), low, high)]


def whole_stays(function):
    """Of f32; integers are whole already."""
    return only(NUMERIC, lambda x: function(x) if x.dtype == F32 else x)


def each(function):
    """A function of one number of Python's math, of arrays."""

    def guarded(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return lambda x: np.vectorize(guarded, otypes=[np.float64])(x)


verb("neg", numeric, arithmetic(np.negative))
verb("abs", numeric, arithmetic(np.abs))
verb("sign", numeric, arithmetic(np.sign))
verb("square", numeric, arithmetic(np.square))
verb("relu", numeric, arithmetic(lambda x: np.maximum(x, 0)))
verb("floor", numeric, whole_stays(np.floor))
verb("ceil", numeric, whole_stays(np.ceil))
verb("round", numeric, whole_stays(np.rint))
verb("trunc", numeric, whole_stays(np.trunc))
verb("isnan", one, np.isnan)
verb("isinf", one, np.isinf)
verb("isfinite", one, np.isfinite)
verb("signbit", one, lambda x: np.signbit(x) if x.dtype == F32 else np.asarray(wide(x) < 0))
verb("logical_not", one, np.logical_not)
verb("bit_not", one, only((I32, U32, BOOL), np.bitwise_not))

for name, function, low, high in [
        ("exp", np.exp, -87, 89), ("exp2", np.exp2, -126, 129), ("expm1", np.expm1, -104, 89),
        ("exp10", lambda x: np.power(10.0, x), -37, 38.5),
        ("log", np.log, None, None), ("log2", np.log2, None, None), ("log10", np.log10, None, None),
        ("log1p", np.log1p, None, None), ("tanh", np.tanh, None, None), ("sinh", np.sinh, None, None),
        ("cosh", np.cosh, None, None), ("asin", np.arcsin, -1.1, 1.1), ("acos", np.arccos, -1.1, 1.1),
        ("atan", np.arctan, None, None), ("asinh", np.arcsinh, None, None), ("acosh", np.arccosh, 0.5, None),
        ("atanh", np.arctanh, -1.1, 1.1), ("cbrt", np.cbrt, None, None), ("erf", each(math.erf), None, None),
        ("erfc", each(math.erfc), -10, 9), ("rad2deg", np.rad2deg, None, None), ("deg2rad", np.deg2rad, None, None),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -80, None), ("softplus", lambda x: np.logaddexp(x, 0), -80, None),
        ("log_sigmoid", lambda x: -np.logaddexp(-x, 0), None, 80), ("softsign", lambda x: x / (1 + np.abs(x)), -1e30, 1e30),
        ("reciprocal", np.reciprocal, None, None)]:
    verb(name, between(low, high), real(function), ulp=8)
verb("sqrt", between(None, None), real(np.sqrt), ulp=1)
verb("rsqrt", between(None, None), real(lambda x: 1 / np.sqrt(x)), ulp=1)
for name, function in [("sin", np.sin), ("cos", np.cos), ("tan", np.tan)]:
    verb(name, between(-1e4, 1e4), real(function), ulp=8, absolute=1e-6)


def gelu(x):
    return x * (1 + each(math.erf)(x / math.sqrt(2))) / 2


verb("gelu", between(-5, 1e30), real(gelu), ulp=8)
verb("silu", between(-80, 1e30), real(lambda x: x / (1 + np.exp(-x))), ulp=8)
verb("lgamma", between(0.1, 1e30), real(each(math.lgamma)), ulp=64, absolute=2e-6)


def nan_to_num(x, nan, posinf, neginf):
    if x.dtype != F32:
        return x
    limit = float(np.finfo(np.float32).max)
    return np.nan_to_num(x, nan=nan, posinf=limit if posinf is None else posinf,
                         neginf=-limit if neginf is None else neginf)


verb("nan_to_num", lambda drawn: one(drawn, (F32, F32, I32)) + [0.5, drawn.choice([None, 7.0]), drawn.choice([None, -7.0])],
     nan_to_num)


# ---- two operands


def two(drawn, dtypes=ANY, number=0.25, numbers=None, special=0.1):
    shapes = drawn.broadcasting(2)
    dtype = drawn.dtype(dtypes)
    operands = [drawn.array(dtype if drawn.chance(0.7) else drawn.dtype(dtypes), shape, special) for shape in shapes]
    if drawn.chance(number):
        operands[drawn.randrange(2)] = drawn.choice(numbers) if numbers else drawn.number()
    return operands


def two_numeric(drawn):
    return two(drawn, NUMERIC + (F32, I32) if drawn.chance(0.9) else ANY)


def two_whole(drawn):
    return two(drawn, WHOLE if drawn.chance(0.9) else ANY, numbers=[0, 1, 3, 31, 32, -1, True, 0.5])


def two_real(drawn):
    return two(drawn, (F32, F32, F32, I32), numbers=[0.0, 1.0, -2.0, 2, 0.5])


def by_zero(function, otherwise=0):
    """Integer division, where a divisor of 0 gives 0."""
    return lambda x, y: np.where(y == 0, otherwise, function(x, np.where(y == 0, 1, y)))


def divided(x, y):
    if x.dtype == np.float64:
        return np.divide(x, y)
    return by_zero(lambda x, y: np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y)))(x, y)


def remainder(x, y):
    return np.remainder(x, y) if x.dtype == np.float64 else by_zero(np.remainder)(x, y)


def floor_divide(x, y):
    if x.dtype != np.float64:
        return by_zero(np.floor_divide)(x, y)
    with np.errstate(all="ignore"):
        return np.floor_divide(x, y)


def fmod(x, y):
    return np.fmod(x, y) if x.dtype == np.float64 else by_zero(np.fmod)(x, y)


def whole_power(x, y):
    """x ** y of integers, to 32 bits; a negative exponent truncates 1 / x ** -y."""
    x, y = int(x), int(y)
    if y >= 0:
        return pow(x, y, 2**32)
    return (1 if y % 2 == 0 else x) if x in (1, -1) else 0


def power(x, y):
    if x.dtype == np.float64:
        return np.power(x, y)
    if x.size * y.size == 0:
        return np.zeros(np.broadcast_shapes(x.shape, y.shape), np.int64)
    return np.vectorize(whole_power, otypes=[np.int64])(x, y)


verb("add", two_numeric, arithmetic(np.add, np.logical_or))
verb("sub", two_numeric, arithmetic(np.subtract))
verb("mul", two_numeric, arithmetic(np.multiply, np.logical_and))
verb("div", two_numeric, arithmetic(divided), ulp=1)
verb("pow", two_numeric, arithmetic(power), ulp=8)
verb("maximum", two_numeric, arithmetic(np.maximum, np.logical_or))
verb("minimum", two_numeric, arithmetic(np.minimum, np.logical_and))
verb("fmax", two_numeric, arithmetic(np.fmax, np.logical_or))
verb("fmin", two_numeric, arithmetic(np.fmin, np.logical_and))


def two_near(drawn):
    """f32 whose quotient floor takes exactly."""
    operands = two_numeric(drawn)
    return [np.clip(x, -1e4, 1e4) if not is_number(x) and x.dtype == F32 else x for x in operands]


verb("remainder", two_near, arithmetic(remainder), ulp=1, absolute=1e-6)
verb("floor_divide", two_near, arithmetic(floor_divide))
verb("fmod", two_numeric, arithmetic(fmod))
verb("atan2", two_real, real(np.arctan2), ulp=8)
verb("hypot", two_real, real(np.hypot), ulp=8)
verb("logaddexp", two_real, real(np.logaddexp), ulp=8, absolute=1e-6)
verb("logaddexp2", two_real, real(np.logaddexp2), ulp=8, absolute=1e-6)
verb("copysign", two_real, real(np.copysign))
verb("xlogy", two_real, real(lambda x, y: np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(y))), ulp=8)
for name, function in [("eq", np.equal), ("ne", np.not_equal), ("lt", np.less), ("le", np.less_equal),
                       ("gt", np.greater), ("ge", np.greater_equal)]:
    verb(name, two, truth(function))


def logic(function):
    """Of truth values, of any two dtypes."""

    def reference(*operands):
        dtype = [x for x in operands if not is_number(x)][0].dtype
        return function(*[(element(x, beside(x, dtype)) if is_number(x) else x) != 0 for x in operands])

    return reference


for name, function in [("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)]:
    verb(name, two, logic(function))


def bits(function):
    def reference(*operands):
        met = meet(*operands)
        if met[0].dtype == F32:
            raise Refused("bits of floats")
        return function(*met)

    return reference


for name, function in [("bit_and", np.bitwise_and), ("bit_or", np.bitwise_or), ("bit_xor", np.bitwise_xor)]:
    verb(name, two_whole, bits(function))


def shift(function):
    """As on infinitely many bits."""

    def reference(x, y):
        x, y = meet(x, y)
        if x.dtype not in WHOLE:
            raise Refused("shifts of what is no integer")
        wide_x, wide_y = wide(x), wide(y)
        outside = (wide_y < 0) | (wide_y > 31)
        return narrow(function(wide_x, np.where(outside, 0, wide_y), outside), x.dtype)

    return reference


verb("shift_left", two_whole, shift(lambda x, y, outside: np.where(outside, 0, np.left_shift(x, y))))
verb("shift_right", two_whole,
     shift(lambda x, y, outside: np.where(outside, np.where(x < 0, -1, 0), np.right_shift(x, y))))


# ---- closeness, whole tensors


def close_operands(drawn):
    """The second is the first, or nearly."""
    x = drawn.array(drawn.dtype(ANY), drawn.shape())
    y = x if x.dtype != F32 else (x * drawn.choice([1, 1.000005, 1.1])).astype(np.float32)
    return [x, y if drawn.chance(0.7) else drawn.array(drawn.dtype((F32, I32, BOOL)), x.shape)]


def tolerances(drawn):
    return close_operands(drawn) + [drawn.choice([1e-3, 0.5]), drawn.choice([1e-4, 0.0, 1.0]), drawn.flag()]


def isclose(a, b, rtol, atol, equal_nan):
    common(a, b)
    return np.isclose(a.astype(np.float64), b.astype(np.float64), rtol, atol, equal_nan)


verb("isclose", tolerances, isclose)
verb("allclose", tolerances, lambda *x: bool(isclose(*x).all()))
verb("array_equal", close_operands, lambda a, b: common(a, b) is not None and bool(np.array_equal(a, b)))


# ---- three operands


def where_operands(drawn):
    shapes = drawn.broadcasting(3)
    condition = drawn.array(BOOL if drawn.chance(0.95) else I32, shapes[0])
    dtype = drawn.dtype()
    return [condition] + [drawn.array(dtype if drawn.chance(0.8) else drawn.dtype(), s)
                          if drawn.chance(0.8) or i == 0 else drawn.number() for i, s in enumerate(shapes[1:])]


verb("where", where_operands, lambda c, a, b: only((BOOL,), lambda c: np.where(c, *meet(a, b)))(c))


def clip_operands(drawn):
    shapes = drawn.broadcasting(3)
    dtype = drawn.dtype(NUMERIC)
    return [drawn.array(dtype, shapes[0])] + [drawn.array(dtype, s) if drawn.flag() else drawn.choice([0, 1, 3])
                                              for s in shapes[1:]]


verb("clip", clip_operands, arithmetic(lambda x, low, high: np.minimum(np.maximum(x, low), high)))


def lerp_operands(drawn):
    return [drawn.array(F32, s, 0) for s in drawn.broadcasting(3)]


verb("lerp", lerp_operands, real(lambda a, b, w: a + w * (b - a)), absolute=2e-4)
verb("elu", lambda drawn: [drawn.real(drawn.shape(), -80, None), 0.5], lambda x, a: real(lambda x: np.where(x > 0, x, a * np.expm1(x)))(x), ulp=8)
verb("leaky_relu", lambda drawn: [drawn.real(drawn.shape()), 0.25], lambda x, a: real(lambda x: np.where(x > 0, x, a * x))(x), ulp=1)
verb("hardtanh", lambda drawn: [drawn.real(drawn.shape()), -0.5, 2.0], lambda x, a, b: real(lambda x: np.clip(x, a, b))(x))
