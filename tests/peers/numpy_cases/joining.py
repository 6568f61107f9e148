"""Joining and cutting."""

import numpy as np

from comparing.rules import Refused, result_type

from .table import verb


def any_of(low=0, high=4):
    return lambda drawn: [drawn.any(low, high)]


def axis_of(x, axis, more=0):
    return range(x.ndim + more)[axis]


def same_rank(drawn, count, axis_free=True):
    """Arrays that differ along one axis only, which comes behind."""
    shape = drawn.shape(0 if drawn.chance(0.05) else 1, 3)
    axis = drawn.axis(len(shape), 0)
    dtype = drawn.dtype()
    parts = []
    for _ in range(count):
        lengths = list(shape)
        if shape and axis_free:
            lengths[axis] = drawn.length()
        if lengths and drawn.chance(0.02):
            lengths[drawn.randrange(len(lengths))] = 4
        parts.append(drawn.array(dtype if drawn.chance(0.8) else drawn.dtype(), lengths))
    return parts, axis if drawn.chance(0.97) else drawn.axis(len(shape), 1)


def met(parts):
    if not parts:
        raise Refused("nothing")
    dtype = parts[0].dtype
    for part in parts:
        dtype = result_type(dtype, part.dtype)
    return [part.astype(dtype) for part in parts]


verb("concatenate", lambda drawn: list(same_rank(drawn, drawn.randint(0 if drawn.chance(0.1) else 1, 4))),
     lambda parts, axis: np.concatenate(met(parts), axis))


def stack_arguments(drawn):
    parts, _ = same_rank(drawn, drawn.randint(1, 4), False)
    return [parts, drawn.axis(parts[0].ndim + 1)]


verb("stack", stack_arguments, lambda parts, axis: np.stack(met(parts), axis))
verb("hstack", lambda drawn: [same_rank(drawn, 2, False)[0]], lambda parts: np.hstack(met(parts)))
verb("vstack", lambda drawn: [same_rank(drawn, 2, False)[0]], lambda parts: np.vstack(met(parts)))


def split_arguments(drawn):
    x = drawn.any(1, 3)
    return [x, drawn.choice([1, 1, 2, 3, 5, 13, 0, -1]), drawn.axis(x.ndim)]


verb("split", split_arguments, lambda x, parts, axis: np.split(x, parts, axis_of(x, axis)))


def sizes_arguments(drawn):
    x = drawn.any(1, 3)
    axis = drawn.axis(x.ndim)
    left = x.shape[axis] if -x.ndim <= axis < x.ndim else 3
    sizes = []
    while left > 0 and len(sizes) < 4:
        sizes.append(drawn.randint(0, left))
        left -= sizes[-1]
    return [x, sizes + [left + (1 if drawn.chance(0.05) else 0)], axis]


def split_with_sizes(x, sizes, axis):
    if sum(sizes) != x.shape[axis]:
        raise Refused("sizes do not add up")
    return np.split(x, np.cumsum(sizes)[:-1], axis)


verb("split_with_sizes", sizes_arguments, split_with_sizes)


def with_axis(drawn):
    x = drawn.any(0, 4)
    return [x, drawn.axis(x.ndim)]


verb("unstack", with_axis, lambda x, axis: [np.take(x, i, axis_of(x, axis)) for i in range(x.shape[axis])])
