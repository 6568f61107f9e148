"""Gradients: of the sum of a verb's result, weighted by -3 to 3 in turn, by each argument of f32.

Where a function has a kink, or ties, conventions differ (docs/derivatives.md): arguments are drawn apart from them.
"""

import numpy as np
import torch
from torch.nn import functional

from comparing.rules import F32

from .table import verb
from .tensors import exact, whole

LENGTHS = (1, 2, 3, 5, 13)


def smooth(drawn, shape, low=-2.0, high=2.0):
    """Numbers that differ."""
    bits = np.random.Generator(np.random.PCG64(drawn.getrandbits(64)))
    return np.asarray(bits.uniform(low, high, shape), F32)


def gradients_of(function):
    """The reference: in double, by PyTorch's way back."""

    def reference(_, arguments):
        inputs = []

        def taken(value):
            if isinstance(value, (list, tuple)):
                return [taken(one) for one in value]
            if not isinstance(value, np.ndarray):
                return value
            if value.dtype != F32:
                return whole(value)
            inputs.append(exact(value).requires_grad_())
            return inputs[-1]

        results = function(*taken(arguments))
        total = 0
        for y in results if isinstance(results, (list, tuple)) else [results]:
            weights = torch.arange(y.numel(), dtype=torch.float64) % 7 - 3
            total = total + (y * weights.reshape(y.shape)).sum()
        found = torch.autograd.grad(total, inputs, allow_unused=True)
        return [(torch.zeros_like(x) if one is None else one).detach().numpy() for x, one in zip(inputs, found)]

    return reference


def gradient(name, arguments, function, relative=2e-5, absolute=2e-5):
    """A line of what `name` is called with, and the same of PyTorch's tensors."""
    verb("gradient", lambda drawn: [name, arguments(drawn)], gradients_of(function), relative=relative,
         absolute=absolute, line=f"gradient of {name}")


# ---- element by element


def one(low=-2.0, high=2.0):
    return lambda drawn: [smooth(drawn, drawn.shape(0, 3, LENGTHS), low, high)]


def two(low=-2.0, high=2.0):
    return lambda drawn: [smooth(drawn, shape, low, high) for shape in drawn.broadcasting(2, 0, 3)]


for name in ["exp", "expm1", "exp2", "sin", "cos", "sinh", "cosh", "tanh", "asinh", "atan", "erf", "erfc", "sigmoid",
             "abs", "square"]:
    gradient(name, one(), getattr(torch, name))
for name, (low, high) in {"log": (0.1, 4), "log2": (0.1, 4), "log10": (0.1, 4), "log1p": (-0.9, 4), "sqrt": (0.1, 4),
                          "rsqrt": (0.1, 4), "reciprocal": (0.2, 4), "lgamma": (0.2, 6), "digamma": (0.2, 6),
                          "acosh": (1.2, 4), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "atanh": (-0.9, 0.9),
                          "erfinv": (-0.9, 0.9), "tan": (-1.2, 1.2)}.items():
    gradient(name, one(low, high), getattr(torch, name), 5e-5, 5e-5)
for name in ["relu", "silu", "gelu", "softplus", "selu", "mish", "hardswish", "softsign", "tanhshrink", "relu6"]:
    gradient(name, one(-4, 4), getattr(functional, name))
for ours, name in {"add": "add", "sub": "sub", "mul": "mul", "maximum": "maximum", "minimum": "minimum",
                   "hypot": "hypot", "logaddexp": "logaddexp", "atan2": "atan2"}.items():
    gradient(ours, two(), getattr(torch, name))
gradient("div", two(0.3, 2), torch.div)
gradient("pow", two(0.3, 2), torch.pow)
gradient("xlogy", two(0.3, 2), torch.xlogy)


# ---- reductions, scans and order


def filled(drawn):
    """A shape with elements."""
    return [length or 1 for length in drawn.shape(1, 3, LENGTHS)]


def reduced(low=-2.0, high=2.0):
    def arguments(drawn):
        x = smooth(drawn, filled(drawn), low, high)
        return [x, sorted(drawn.sample(range(x.ndim), drawn.randint(1, x.ndim))), drawn.flag()]

    return arguments


for ours, function in {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin,
                       "logsumexp": torch.logsumexp}.items():
    gradient(ours, reduced(), function)
gradient("var", lambda drawn: [*reduced()(drawn), 0.0], lambda x, axes, keep, _: torch.var(x, axes, False, keep))
gradient("norm", lambda drawn: [*reduced()(drawn), 2.0], lambda x, axes, keep, p: torch.linalg.vector_norm(
    x, p, axes, keep))


def along(drawn, low=-2.0, high=2.0):
    x = smooth(drawn, filled(drawn), low, high)
    return [x, drawn.randrange(x.ndim)]


gradient("softmax", along, torch.softmax)
gradient("log_softmax", along, torch.log_softmax)
gradient("cumsum", lambda drawn: [*along(drawn), False, False], lambda x, axis, *_: torch.cumsum(x, axis))
# Of numbers mostly below 1: the terms of a sum, which cancel, are products of up to a hundred, and must not grow.
gradient("cumprod", lambda drawn: [*along(drawn, 0.5, 1.25), False, False],
         lambda x, axis, *_: torch.cumprod(x, axis), 1e-4, 1e-4)
gradient("cummax", lambda drawn: [*along(drawn), False, False], lambda x, axis, *_: torch.cummax(x, axis).values)
gradient("logcumsumexp", lambda drawn: [*along(drawn), False, False], lambda x, axis, *_: torch.logcumsumexp(x, axis))
gradient("sort", lambda drawn: [*along(drawn), drawn.flag()], lambda x, axis, down: torch.sort(x, axis, down).values)


# ---- products and networks


def matrices(drawn):
    rows, inner, columns = (drawn.choice(LENGTHS) for _ in range(3))
    batch = [drawn.choice(LENGTHS)] if drawn.flag() else []
    return [smooth(drawn, batch + [rows, inner]), smooth(drawn, (batch if drawn.flag() else []) + [inner, columns])]


gradient("matmul", matrices, torch.matmul)
gradient("einsum", lambda drawn: (lambda m, k, n: ["ik,jk->ji", [smooth(drawn, [m, k]), smooth(drawn, [n, k])]])(
    *(drawn.choice(LENGTHS) for _ in range(3))), lambda text, operands: torch.einsum(text, *operands))


def pictures(drawn):
    return smooth(drawn, [drawn.choice([1, 2]), 4, drawn.choice([5, 8]), drawn.choice([4, 7])])


def convolved(drawn):
    pads, strides = [drawn.choice([0, 1]) for _ in range(2)], [drawn.choice([1, 2]) for _ in range(2)]
    groups = drawn.choice([1, 2])
    return [pictures(drawn), smooth(drawn, [6, 4 // groups, 3, 2]), [strides, [[pad, pad] for pad in pads], 1, groups],
            smooth(drawn, [6])]


gradient("conv", convolved, lambda x, w, of, bias: functional.conv2d(
    x, w, bias, of[0], [pad for pad, _ in of[1]], 1, of[3]), absolute=5e-5)
gradient("max_pool", lambda drawn: [pictures(drawn), [3, 2], [[2, 1], 0, 1, False, True]],
         lambda x, window, of: functional.max_pool2d(x, window, of[0]))
gradient("avg_pool", lambda drawn: [pictures(drawn), [3, 2], [[2, 1], 0, 1, False, True]],
         lambda x, window, of: functional.avg_pool2d(x, window, of[0]))
gradient("layer_norm", lambda drawn: (lambda rows, n: [smooth(drawn, [rows, n]), [-1], smooth(drawn, [n]),
                                                       smooth(drawn, [n]), 1e-3])(drawn.choice(LENGTHS), 13),
         lambda x, _, w, b, eps: functional.layer_norm(x, w.shape, w, b, eps), absolute=1e-4)
gradient("scaled_dot_product_attention", lambda drawn: [*(smooth(drawn, [2, 3, 5, 4]) for _ in range(3)),
                                                        [None, False, 0.5]],
         lambda q, k, v, of: torch.softmax(q @ k.transpose(-1, -2) * of[2], -1) @ v)
gradient("cross_entropy", lambda drawn: (lambda n: [smooth(drawn, [n, 5]), drawn.places([n], 5, 0) % 5,
                                                    [-1, 0.1, -100, None, "mean"]])(drawn.choice(LENGTHS)),
         lambda x, labels, of: functional.cross_entropy(x, labels, label_smoothing=of[1]))
for name in ["mse_loss", "l1_loss"]:
    gradient(name, lambda drawn: (lambda shape: [smooth(drawn, shape), smooth(drawn, shape), "mean"])(
        drawn.shape(1, 2, LENGTHS)), lambda x, y, _, name=name: getattr(functional, name)(x, y))


# ---- at indices


def at_places(drawn):
    x = smooth(drawn, [drawn.choice(LENGTHS), 4])
    shape = [drawn.choice(LENGTHS), 4]
    return [x, 0, drawn.places(shape, x.shape[0], 0) % x.shape[0], smooth(drawn, shape)]


for ours, how in {"scatter_add": "sum", "scatter_max": "amax", "scatter_min": "amin", "scatter_mul": "prod"}.items():
    gradient(ours, at_places, lambda x, axis, index, updates, how=how: torch.scatter_reduce(
        x, axis, index, updates, how), 1e-4, 1e-4)
gradient("take_along_axis", lambda drawn: (lambda x, axis, index, _: [x, index, axis])(*at_places(drawn)),
         lambda x, index, axis: torch.take_along_dim(x, index, axis))
