"""Element-wise verbs of two and three operands."""

import numpy as np

from comparing.rules import (ANY, BOOL, EPS, F32, I32, NUMERIC, WHOLE, Near, Refused, arithmetic, beside, common,
                             element, is_number, meet, narrow, only, real, truth, wide)

from .table import verb


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
verb("remainder", two_numeric, arithmetic(remainder))
verb("floor_divide", two_numeric, arithmetic(floor_divide), ulp=1)
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


def lerp(a, b, weight):
    """8 ULP between numbers of one sign with a weight in [0, 1], else 4 eps of the largest term."""
    a, b, weight = (x.astype(np.float64) for x in (a, b, weight))
    y = a + weight * (b - a)
    terms = np.maximum.reduce(np.broadcast_arrays(np.abs(a), np.abs(b), np.abs(weight * a), np.abs(weight * b)))
    between = (a * b >= 0) & (weight >= 0) & (weight <= 1)
    return Near(y, EPS * np.where(between, 8 * np.abs(y), 4 * terms))


verb("lerp", lerp_operands, lerp)
