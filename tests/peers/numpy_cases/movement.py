"""Rearranging: the same elements in another shape or order."""

import numpy as np

from comparing.rules import BOOL, F32, I32, Refused, refuse

from .joining import any_of, axis_of, with_axis
from .table import verb


def range_of_axes(drawn):
    x = drawn.any(0, 4)
    rank = max(x.ndim, 1)
    first, last = sorted(drawn.randrange(rank) for _ in range(2))
    return [x, drawn.choice([first, first - rank]), drawn.choice([last, last - rank])]


def flatten(x, first, last):
    x = np.atleast_1d(x)
    first, last = range(x.ndim)[first], range(x.ndim)[last]
    middle = int(np.prod(x.shape[first:last + 1], dtype=np.int64))
    return x.reshape(x.shape[:first] + (middle,) + x.shape[last + 1:])


verb("flatten", range_of_axes, flatten)
verb("ravel", any_of(), np.ravel)


def from_to(drawn):
    x = drawn.any(0, 4)
    start = drawn.axes(x.ndim)
    to = drawn.sample(range(x.ndim), min(len(start), x.ndim))
    return [x, start, to]


verb("moveaxis", from_to, np.moveaxis)
for name in ("swapaxes", "transpose"):
    verb(name, lambda drawn: with_axis(drawn) + [drawn.choice([0, -1, 1])],
         lambda x, a, b: np.swapaxes(x, a, b))


def turned(drawn):
    x = drawn.any(2 if drawn.chance(0.95) else 1, 4)
    return [x, drawn.randint(-5, 5), drawn.choice([[0, 1], [1, 0], [-1, -2], [0, -1], [0, 0]])]


def rot90(x, count, axes):
    if len({axis_of(x, axis) for axis in axes}) != 2:
        raise Refused("one axis")
    return np.rot90(x, count, axes)


verb("rot90", turned, rot90)
verb("repeat", lambda drawn: (lambda x, axis: [x, drawn.choice([0, 1, 2, 3, -1]), axis])(*with_axis(drawn)),
     lambda x, count, axis: np.repeat(x, count, axis_of(x, axis)) if count >= 0 else refuse("a negative count"))

def counts(drawn):
    x = drawn.any(0, 3)
    return [x, [drawn.choice([0, 1, 1, 2, 3]) for _ in range(drawn.randint(0, 4))]]


verb("tile", counts, np.tile)


def broadcast_arguments(drawn):
    small, whole = drawn.broadcasting(2)
    try:
        whole = list(np.broadcast_shapes(tuple(small), tuple(whole)))
    except ValueError:
        pass
    return [drawn.array(drawn.dtype(), small), whole]


for name in ("broadcast_to", "expand"):
    verb(name, broadcast_arguments, np.broadcast_to)
verb("broadcast_tensors",
     lambda drawn: [[drawn.array(drawn.dtype(), shape) for shape in drawn.broadcasting(drawn.randint(1, 3))]],
     lambda parts: list(np.broadcast_arrays(*parts)))
verb("broadcast_shapes", lambda drawn: drawn.broadcasting(2, 0.2),
     lambda a, b: list(np.broadcast_shapes(tuple(a), tuple(b))))
verb("atleast_1d", any_of(), np.atleast_1d)
verb("atleast_2d", any_of(), np.atleast_2d)
verb("atleast_3d", any_of(), np.atleast_3d)


def reshaped(drawn):
    x = drawn.any()
    factors = list(x.shape)
    drawn.shuffle(factors)
    while len(factors) > 1 and drawn.flag():
        factors[:2] = [factors[0] * factors[1]]
    factors += [1] * drawn.randint(0, 2)
    if factors and drawn.chance(0.5):
        factors[drawn.randrange(len(factors))] = -1
    if drawn.chance(0.05):
        factors.append(drawn.choice([2, -1]))
    return [x, factors]


verb("reshape", reshaped, np.reshape)


def permuted(drawn):
    x = drawn.any()
    axes = drawn.sample(range(x.ndim), x.ndim)
    if axes and drawn.chance(0.05):
        axes[0] = axes[-1]
    return [x, [a - x.ndim if drawn.flag() else a for a in axes]]


verb("permute", permuted, lambda x, axes: np.transpose(x, axes) if len(axes) == x.ndim else np.reshape(x, -2))


def squeezed(drawn):
    x = drawn.array(drawn.dtype(), [drawn.choice([1, 1, 3, 0]) for _ in range(drawn.randint(0, 4))])
    axes = [a for a in range(x.ndim) if x.shape[a] == 1 and drawn.flag()]
    return [x, axes + [drawn.axis(x.ndim, 0.2)] if drawn.chance(0.1) else axes]


verb("squeeze", squeezed, lambda x, axes: np.squeeze(x, tuple(axes) if axes else None))
verb("unsqueeze", lambda drawn: (lambda x: [x, drawn.axis(x.ndim + 1)])(drawn.any()), np.expand_dims)


def flip_arguments(drawn):
    x = drawn.any()
    return [x, drawn.axes(x.ndim)]


verb("flip", flip_arguments, lambda x, axes: np.flip(x, tuple(axes) if axes else None))


def crop_arguments(drawn):
    x = drawn.any()
    pairs = [sorted(drawn.randint(0, n) for _ in range(2)) for n in x.shape]
    if pairs and drawn.chance(0.05):
        pairs[0] = drawn.choice([[0, x.shape[0] + 1], [1, 0], [-1, 0]])
    return [x, pairs]


def crop(x, pairs):
    if any(not 0 <= a <= b <= n for (a, b), n in zip(pairs, x.shape)):
        raise Refused("outside")
    return x[tuple(slice(a, b) for a, b in pairs)]


verb("crop", crop_arguments, crop)


def slice_arguments(drawn):
    x = drawn.any(1)
    axis = drawn.axis(x.ndim)
    n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    step = drawn.choice([1, 1, 2, 3, -1, -2, 0])
    stop = drawn.choice([None, drawn.randint(-n, n)])
    return [x, axis, drawn.randint(-n, n), stop, step]


def sliced(x, axis, start, stop, step):
    return np.moveaxis(np.moveaxis(x, axis, 0)[start:stop:step], 0, axis)


verb("slice", slice_arguments, sliced)


def astype(x, dtype):
    if dtype == BOOL:
        return x != 0
    if x.dtype != F32 or dtype == F32:
        return x.astype(dtype)
    low, high = (-(2.0**31), 2.0**31 - 1) if dtype == I32 else (0.0, 2.0**32 - 1)
    return np.trunc(np.clip(np.where(np.isnan(x), 0, x.astype(np.float64)), low, high)).astype(dtype)


verb("astype", lambda drawn: [drawn.any(), drawn.dtype()], astype)
