"""The same elements elsewhere, and at indices."""

import numpy as np
import torch
from torch.nn import functional

from comparing.rules import I32

from .program import Misfit
from .table import step


def permuted(p):
    name = p.value(2)
    return [name, p.drawn.sample(range(len(p.shape(name))), len(p.shape(name)))]


def joined_axes(p):
    """Two axes that lie side by side as one, or all as one."""
    name = p.value(2)
    shape = p.shape(name)
    at = p.drawn.randrange(len(shape) - 1)
    whole = [int(np.prod(shape))]
    return [name, whole if p.drawn.chance(0.3) else shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2:]]


def split_axis(p):
    name = p.value(1, 3, lambda x: any(n in (4, 6, 8, 10, 12) for n in x.shape))
    shape = p.shape(name)
    at = next(i for i, n in enumerate(shape) if n in (4, 6, 8, 10, 12))
    return [name, shape[:at] + p.drawn.choice([[2, shape[at] // 2], [shape[at] // 2, 2]]) + shape[at + 1:]]


def sliced(p):
    name = p.value(1)
    axis = p.axis(name)
    n = p.shape(name)[axis]
    return [name, axis, p.drawn.randint(0, n - 1), None, p.drawn.choice([1, 2])]


def slice_of(x, axis, start, _, step):
    return x.movedim(axis, 0)[start::step].movedim(0, axis)


def wider(p):
    """To more rows, and along axes of length 1."""
    name = p.value(0, 3)
    return [name, [2] + [3 if n == 1 else n for n in p.shape(name)]]


def pairs(p, most):
    name = p.value(1, 3, lambda x: min(x.shape) > 1)
    return [name, [[p.drawn.randint(0, most), p.drawn.randint(0, most)] for _ in p.shape(name)]]


def pad(x, pairs, value):
    return functional.pad(x, [n for pair in reversed(pairs) for n in pair], value=value)


def mirrored(x, pairs, *_):
    for axis, (front, back) in enumerate(pairs):
        n = x.shape[axis]
        x = x.index_select(axis, torch.tensor([*range(front, 0, -1), *range(n), *range(n - 2, n - 2 - back, -1)]))
    return x


step("permute", permuted, torch.permute, 3)
step("reshape", lambda p: p.drawn.choice([joined_axes, split_axis])(p), torch.reshape, 4)
step("flip", lambda p: (lambda x: [x, p.axes(x)])(p.value(1)), torch.flip, 1)
step("slice", sliced, slice_of, 3)
step("expand", wider, torch.broadcast_to)
step("pad", lambda p: [*pairs(p, 2), 0.5], pad)
step("pad_mode", lambda p: [*pairs(p, 1), "reflect", 0.0], mirrored)
step("roll", lambda p: (lambda x: [x, [p.drawn.randint(-3, 3)], [p.axis(x)]])(p.value(1)), torch.roll, 1)
step("tile", lambda p: (lambda x: [x, [p.drawn.randint(1, 2) for _ in p.shape(x)]])(p.value(1)), torch.tile, 1)
step("tril", lambda p: [p.value(2), p.drawn.randint(-1, 1)], torch.tril, 1)
step("unsqueeze", lambda p: (lambda x: [x, p.drawn.randint(0, len(p.shape(x)))])(p.value(0, 3)), torch.unsqueeze, 1)


def beside_each_other(p):
    name = p.value(1)
    axis = p.axis(name)
    others = [n for i, n in enumerate(p.shape(name)) if i != axis % len(p.shape(name))]
    fits = [p.value(len(others) + 1, len(others) + 1, lambda x: [
        n for i, n in enumerate(x.shape) if i != axis % x.dim()] == others) for _ in range(2)]
    return [[name, *fits], axis]


def layers(p):
    name = p.value(0, 3)
    shape = p.shape(name)
    return [[name, p.value(len(shape), len(shape), lambda x: list(x.shape) == shape)], 0]


step("concatenate", beside_each_other, torch.cat, 3)
step("stack", layers, torch.stack)
step("split", lambda p: (lambda x: [x, 2, [n % 2 for n in p.shape(x)].index(0)])(
    p.value(1, where=lambda x: any(n % 2 == 0 for n in x.shape))), lambda x, parts, axis: torch.chunk(x, parts, axis))


# ---- at indices


def rows_at(p):
    """A value, an axis, and indices along it."""
    name = p.value(1)
    axis = p.axis(name)
    n = p.shape(name)[axis]
    return name, axis, p.drawn.places([p.drawn.choice([1, 3, 5])], n, 0) % n


def at_each(p):
    """Indices beside each element of a value's front, and as many updates."""
    name = p.value(1)
    axis, shape = p.axis(name), p.shape(name)
    n = shape[axis]
    shape[axis] = p.drawn.choice([1, 3, 5])
    return [name, axis, p.drawn.places(shape, n, 0) % n, p.array(shape)]


def each_once(p):
    """No place twice."""
    name = p.value(1)
    axis, shape = p.axis(name), p.shape(name)
    bits = np.random.Generator(np.random.PCG64(p.drawn.getrandbits(64)))
    index = np.argsort(bits.random(shape), axis)
    index = np.take(index, range(p.drawn.randint(1, shape[axis])), axis)
    return [name, axis, index.astype(I32), p.array(index.shape)]


def segments(p):
    name = p.value(1)
    n = p.shape(name)[0]
    return [name, p.drawn.places([n], 4, 0) % 4, 4]


step("take", lambda p: (lambda x, axis, at: [x, at, axis])(*rows_at(p)),
     lambda x, at, axis: torch.index_select(x, axis, at), 3)
step("gather", lambda p: at_each(p)[:3], torch.gather)
step("scatter", each_once, torch.scatter)
for ours, how in {"scatter_add": "sum", "scatter_max": "amax", "scatter_mul": "prod"}.items():
    step(ours, at_each, lambda x, axis, at, updates, how=how: torch.scatter_reduce(x, axis, at, updates, how), 1)
step("segment_sum", segments, lambda x, at, count: torch.index_add(x.new_zeros(count, *x.shape[1:]), 0, at, x))
