"""Element-wise verbs of one operand."""

import math

import numpy as np

from comparing.rules import ANY, BOOL, F32, I32, NUMERIC, U32, arithmetic, only, real, wide

from .table import verb


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
verb("signbit", numeric, only(NUMERIC, lambda x: np.signbit(x) if x.dtype == F32 else np.asarray(wide(x) < 0)))
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
        ("erfc", each(math.erfc), -10, 9),
        ("sigmoid", lambda x: 1 / (1 + np.exp(-x)), -80, None), ("softplus", lambda x: np.logaddexp(x, 0), -80, None),
        ("log_sigmoid", lambda x: -np.logaddexp(-x, 0), None, 80),
        ("softsign", lambda x: x / (1 + np.abs(x)), -1e30, 1e30)]:
    verb(name, between(low, high), real(function), ulp=8)
for name, function in [("sqrt", np.sqrt), ("rsqrt", lambda x: 1 / np.sqrt(x)), ("reciprocal", np.reciprocal),
                       ("rad2deg", np.rad2deg), ("deg2rad", np.deg2rad)]:
    verb(name, between(None, None), real(function), ulp=1)
for name, function in [("sin", np.sin), ("cos", np.cos), ("tan", np.tan)]:
    verb(name, between(None, None), real(function), ulp=8, absolute=1e-6)


def gelu(x):
    return x * (1 + each(math.erf)(x / math.sqrt(2))) / 2


verb("gelu", between(-5, 1e30), real(gelu), ulp=8)
verb("silu", between(-80, 1e30), real(lambda x: x / (1 + np.exp(-x))), ulp=8)
verb("lgamma", between(0.1, 1e30), real(lambda x: np.where(x == 0, np.inf, each(math.lgamma)(x))), ulp=8)


def nan_to_num(x, nan, posinf, neginf):
    if x.dtype != F32:
        return x
    limit = float(np.finfo(np.float32).max)
    return np.nan_to_num(x, nan=nan, posinf=limit if posinf is None else posinf,
                         neginf=-limit if neginf is None else neginf)


verb("nan_to_num",
     lambda drawn: one(drawn, (F32, F32, I32)) + [0.5, drawn.choice([None, 7.0]), drawn.choice([None, -7.0])],
     nan_to_num)


def with_number(function):
    """Of x and a number behind it."""
    return lambda x, *numbers: real(lambda x: function(x, *numbers))(x)


verb("elu", lambda drawn: [drawn.real(drawn.shape(), -80, None), 0.5],
     with_number(lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x))), ulp=8)
verb("leaky_relu", lambda drawn: [drawn.real(drawn.shape()), 0.25],
     with_number(lambda x, slope: np.where(x > 0, x, slope * x)))
verb("hardtanh", lambda drawn: [drawn.real(drawn.shape()), -0.5, 2.0], with_number(np.clip))
