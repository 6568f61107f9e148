"""Element by element."""

import numpy as np
import torch
from torch.nn import functional

from .table import step


def one(low=float("-inf"), high=float("inf")):
    """A value whose elements lie in [low, high]."""
    return lambda p: [p.value(where=lambda x: low <= x.min() and x.max() <= high)]


def two(p):
    """A value and what broadcasts with it."""
    name = p.value()
    return [name, p.beside(name)]


for name in ["tanh", "sin", "cos", "sigmoid", "erf", "atan", "asinh", "abs", "square"]:
    step(name, one(), getattr(torch, name), 1)
for name in ["exp", "expm1", "exp2", "sinh", "cosh"]:
    step(name, one(high=3), getattr(torch, name), 1)
for name in ["log", "log2", "log1p", "sqrt", "rsqrt", "reciprocal", "lgamma"]:
    step(name, one(0.1), getattr(torch, name))
for name in ["relu", "silu", "gelu", "softplus", "selu", "mish", "hardswish", "softsign", "tanhshrink", "relu6"]:
    step(name, one(), getattr(functional, name), 1)
step("elu", lambda p: [p.value(), 0.75], functional.elu, 1)
step("leaky_relu", lambda p: [p.value(), 0.125], functional.leaky_relu, 1)
step("neg", one(), torch.neg, 1)
step("clip", lambda p: [p.value(), -0.75, 1.25], torch.clip)
step("threshold", lambda p: [p.value(), 0.5, -0.25], functional.threshold, 1)
for name in ["add", "sub", "mul"]:
    step(name, lambda p: two(p) if p.drawn.chance(0.7) else [p.value(), p.drawn.choice([0.5, -1.25, 2.0])],
         getattr(torch, name), 6)
for name in ["maximum", "minimum", "logaddexp"]:
    step(name, two, getattr(torch, name))


def divided(p):
    name = p.value()
    return [name, p.beside(name, 0.25, 4.0)]


def powers(p):
    name = p.value(where=lambda x: x.min() >= 0.25)
    return [name, p.beside(name)]


# At (0, 0) PyTorch's slopes are NaN.
for name in ["hypot", "atan2"]:
    step(name, divided, getattr(torch, name))
step("div", divided, torch.div, 4)
step("pow", powers, torch.pow)
step("xlogy", divided, torch.xlogy, 1)
step("lerp", lambda p: [*two(p), 0.25], lambda a, b, share: torch.lerp(*torch.broadcast_tensors(a, b), share))
step("prelu", two, lambda x, slope: torch.where(x >= 0, x, slope * x), 1)


def chosen(p):
    """By the values themselves, or a mask that is drawn."""
    name = p.value()
    mask = np.asarray(p.array(p.shape(name)) > 0)
    return [mask, name, p.beside(name)]


step("where", chosen, torch.where)
