"""Creation, and parts of matrices."""

import numpy as np

from comparing.rules import F32, I32, Near, Refused, element

from .joining import any_of
from .table import verb


def matrix(drawn):
    return [drawn.any(1 if drawn.chance(0.05) else 2, 4), drawn.randint(-4, 4)]


def of_matrices(function):
    def reference(x, k):
        if x.ndim < 2:
            raise Refused("no matrix")
        return function(x, k)

    return reference


verb("tril", matrix, of_matrices(np.tril))
verb("triu", matrix, of_matrices(np.triu))
verb("diag", lambda drawn: [drawn.any(0 if drawn.chance(0.05) else 1, 2), drawn.randint(-4, 4)], np.diag)


def diagonal_arguments(drawn):
    x = drawn.any(2, 4)
    first, second = drawn.sample(range(x.ndim), 2) if drawn.chance(0.95) else [0, 0]
    return [x, drawn.randint(-4, 4), first, second - x.ndim]


verb("diagonal", diagonal_arguments, np.diagonal)


# ---- creation


def sized(drawn):
    return [drawn.shape(0, 4) if drawn.chance(0.95) else [2, -1], drawn.dtype()]


def filled(shape, value, dtype):
    return np.full(shape, element(value, dtype))


verb("zeros", sized, np.zeros)
verb("ones", sized, np.ones)
verb("full", lambda drawn: (lambda shape, dtype: [shape, drawn.number(), dtype])(*sized(drawn)), filled)
verb("zeros_like", any_of(), np.zeros_like)
verb("ones_like", any_of(), np.ones_like)
verb("full_like", lambda drawn: [drawn.any(), drawn.number()], lambda x, value: filled(x.shape, value, x.dtype))
verb("eye", lambda drawn: [drawn.randint(0, 6) if drawn.chance(0.95) else -1, drawn.randint(-1, 6), drawn.dtype()],
     lambda n, m, dtype: np.eye(n, None if m == -1 else m, dtype=dtype))
verb("tri", lambda drawn: [drawn.randint(0, 6), drawn.randint(-1, 6), drawn.randint(-4, 4), drawn.dtype()],
     lambda n, m, k, dtype: np.tri(n, None if m == -1 else m, k, dtype))


def arange_arguments(drawn):
    whole = drawn.flag()
    ends = [float(drawn.randint(-9, 30)) if whole else drawn.uniform(-9, 30) for _ in range(2)]
    step = drawn.choice([1.0, 2.0, -1.0, 0.0] if whole else [0.25, 1.0, -0.5, 1.5])
    return ends + [step, drawn.dtype((F32, I32) if whole else (F32,))]


def arange(start, stop, step, dtype):
    if step == 0:
        raise Refused("no step")
    values = start + np.arange(max(0, int(np.ceil((stop - start) / step)))) * step
    return Near(values, 2.0**-22 * (abs(start) + abs(stop))) if dtype == F32 else values.astype(dtype)


verb("arange", arange_arguments, arange)


def ends(drawn):
    return [drawn.uniform(-9, 9), drawn.uniform(-9, 9), drawn.choice([0, 1, 2, 5, 13, 127, -1]), F32]


verb("linspace", ends, lambda start, stop, count, _: Near(np.linspace(start, stop, count), 1e-14))
verb("logspace", lambda drawn: (lambda a, b, n, f: [a, b, n, drawn.choice([10.0, 2.0]), f])(*ends(drawn)),
     lambda start, stop, count, base, _: np.logspace(start, stop, count, base=base), ulp=0.1)
verb("meshgrid", lambda drawn: [[drawn.any(0, 1) for _ in range(drawn.randint(1, 3))]],
     lambda parts: list(np.meshgrid(*parts, indexing="ij")))
