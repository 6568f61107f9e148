"""Activation functions, and special functions that NumPy has not."""

import torch
from torch.nn import functional

from comparing.rules import F32, refuse

from .table import verb
from .tensors import near, real


def between(low, high):
    return lambda drawn: [drawn.real(drawn.shape(), low, high)]


def gelu_tanh(x):
    return functional.gelu(x, approximate="tanh")


# Where a bound stands PyTorch has NaN, infinity times 0, at -infinity, or the result leaves f32's normal numbers.
for name, function, low, high in [
        ("selu", functional.selu, None, None), ("mish", functional.mish, -80, None),
        ("hardsigmoid", functional.hardsigmoid, None, None), ("hardswish", functional.hardswish, -1e30, None),
        ("softplus", functional.softplus, -80, None), ("softsign", functional.softsign, -1e30, 1e30),
        ("silu", functional.silu, -80, None), ("log_sigmoid", functional.logsigmoid, None, 80),
        ("sigmoid", torch.sigmoid, -80, None),
        ("erfinv", torch.erfinv, -1.1, 1.1), ("erfc", torch.erfc, -10, 9)]:
    verb(name, between(low, high), real(function), ulp=8)
verb("erf", between(None, None), real(torch.erf), ulp=8)
verb("rsqrt", between(None, None), real(torch.rsqrt), ulp=1)
for name, function in [("relu6", functional.relu6), ("relu", functional.relu)]:
    verb(name, lambda drawn: [drawn.array(F32, drawn.shape())], real(function))

# What double itself loses in x - tanh(x) near 0, and in 1 + tanh(x) where this is nearly 0.
verb("tanhshrink", between(None, None), near(functional.tanhshrink, lambda y, x: 2.0**-52 * x.abs()), ulp=8)
verb("gelu_tanh", between(-1e30, None), real(gelu_tanh), ulp=8, absolute=1e-14)
# Below -5 the contract is 1e-6.
verb("gelu", between(-1e30, None), near(functional.gelu, lambda y, x: torch.where(x < -5, 1e-6, 0.0)), ulp=8)
# Below 0, near zeros, the contracts are 2e-6 and 2e-5.
verb("lgamma", between(None, 1e30), near(torch.lgamma, lambda y, x: torch.where(x < 0, 2e-6, 0.0)), ulp=8)
verb("digamma", between(None, None), near(torch.digamma, lambda y, x: torch.where(x < 0, 2e-5, 0.0)), ulp=8)


# ---- with numbers behind x, which f32 holds


def of(*numbers, low=None):
    """x, and of each set of numbers one."""
    return lambda drawn: [drawn.real(drawn.shape(), low), *map(drawn.choice, numbers)]


verb("elu", of([1.0, 0.5, -2.0, 0.0], low=-80), real(functional.elu), ulp=8)
verb("celu", of([1.0, 0.5, 4.0, -2.0] * 6 + [0.0], low=-40),
     real(lambda x, alpha: functional.celu(x, alpha) if alpha else refuse("no scale")), ulp=8)
verb("leaky_relu", of([0.25, 0.0, -1.5]), real(functional.leaky_relu))
verb("hardtanh", of([-0.5, -2.0, -2.0, 2.5], [2.0, 2.5, 0.0, 2.5]),
     real(lambda x, low, high: functional.hardtanh(x, low, high) if low <= high else refuse("no range")))
verb("threshold", of([0.0, -1.5, 2.5], [7.0, -0.5]), real(functional.threshold))


def shrinking(function):
    """PyTorch's give 0 for NaN; we keep it."""

    def reference(x, threshold):
        if threshold < 0:
            refuse("a negative threshold")
        return torch.where(torch.isnan(x), x, function(x, threshold))

    return real(reference)


verb("softshrink", of([0.5, 0.0, 2.5] * 6 + [-1.0]), shrinking(functional.softshrink))
verb("hardshrink", of([0.5, 0.0, 2.5] * 6 + [-1.0]), shrinking(functional.hardshrink))


def prelu_arguments(drawn):
    """A slope for each channel, or one."""
    shape = [drawn.length(), drawn.choice([1, 2, 5])] + drawn.shape(0, 2)
    channels = drawn.choice([1, shape[1]])
    return [drawn.real(shape), drawn.array(F32, [channels] + [1] * (len(shape) - 2), 0)]


verb("prelu", prelu_arguments, real(lambda x, slope: functional.prelu(x, slope.reshape(-1))))
