"""Products of vectors and matrices."""

import numpy as np

from comparing.rules import BOOL, EPS, F32, NUMERIC, Near, Refused, arithmetic, meet, narrow, wide

from .table import verb


def product(function, summed):
    """Integers wrap. f32 is within K eps, at least 4, of the sum of the absolute products: K = summed(a, b) of them."""

    def reference(a, b, *more):
        a, b = meet(a, b)
        if a.dtype == BOOL:
            raise Refused("products of booleans")
        value = function(wide(a), wide(b), *more)
        if a.dtype != F32:
            return narrow(value, a.dtype)
        return Near(value, max(summed(a, b, *more), 4) * EPS * function(np.abs(wide(a)), np.abs(wide(b)), *more))

    return reference


def matrices(drawn):
    inner, batch = drawn.length(), drawn.broadcasting(2, 0.02, 2)
    shapes = [batch[0] + [drawn.length(), inner], batch[1] + [inner, drawn.length()]]
    if drawn.chance(0.2):
        shapes[0] = [inner]
    if drawn.chance(0.2):
        shapes[1] = [inner]
    if drawn.chance(0.03):
        shapes[drawn.randrange(2)] = drawn.choice([[], [4]])
    dtype = drawn.dtype(NUMERIC)
    return [drawn.array(dtype if drawn.chance(0.9) else drawn.dtype(NUMERIC), shape, 0) for shape in shapes]


def vectors(drawn):
    dtype, length = drawn.dtype(NUMERIC), drawn.length()
    return [drawn.array(dtype, [length], 0), drawn.array(dtype, [length if drawn.chance(0.95) else 4], 0)]


def last_axis(a, *_):
    return a.shape[-1] if a.ndim else 1


verb("matmul", matrices, product(np.matmul, last_axis))
verb("dot", vectors, product(np.dot, last_axis))
verb("outer", lambda drawn: [drawn.any(0, 2, special=0) for _ in range(2)],
     arithmetic(np.outer, lambda a, b: np.logical_and.outer(a.ravel(), b.ravel())))


def inner_arguments(drawn):
    dtype, length = drawn.dtype(NUMERIC), [drawn.length()]
    return [drawn.array(dtype, drawn.shape(0, 2) + length, 0), drawn.array(dtype, drawn.shape(0, 1) + length, 0)]


verb("inner", inner_arguments, product(np.inner, last_axis))


def weighted(drawn):
    shapes = drawn.broadcasting(2)
    dtype = drawn.dtype(NUMERIC)
    rank = max(map(len, shapes))
    return [drawn.array(dtype, s, 0) for s in shapes] + [drawn.axes(rank), drawn.flag()]


def of_axes(a, b, axes, _):
    shape = np.broadcast_shapes(a.shape, b.shape)
    return int(np.prod([shape[axis] for axis in axes] if axes else shape, dtype=np.int64))


verb("multiply_sum", weighted,
     product(lambda a, b, axes, keepdims: np.sum(a * b, tuple(axes) or None, keepdims=keepdims), of_axes))
