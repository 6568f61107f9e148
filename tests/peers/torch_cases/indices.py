"""Indices along an axis, and what is written at them."""

import numpy as np
import torch

from comparing.draw import factors
from comparing.rules import BOOL, EPS, F32, I32, Near, Refused, narrow, refuse
from numpy_cases.axis_indices import (along_arguments, broadcast_along, compress_arguments, index_add_arguments,
                                      nd_arguments, numeric, require_places, scatter_arguments, segments,
                                      take_arguments)

from .table import verb
from .tensors import array, exact, same_kind, whole


def places(index, length):
    """As PyTorch wants them: from the front."""
    require_places(index, length)
    return whole(np.where(index < 0, index + length, index))


def of_places(function):
    """`function` of x, the axis and places along it gives elements of x."""

    def reference(x, axis, index):
        axis = range(x.ndim)[axis]
        return array(function(same_kind(x), axis, places(index, x.shape[axis])), x.dtype)

    return reference


def take(x, axis, index):
    y = torch.index_select(x, axis, index.ravel())
    return y.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])


verb("take", take_arguments, lambda x, index, axis: of_places(take)(x, axis, index))
verb("gather", lambda drawn: list(along_arguments(drawn)), of_places(torch.gather))
verb("take_along_axis", broadcast_along, lambda x, index, axis: of_places(
    lambda x, axis, index: torch.take_along_dim(x, index, axis))(x, axis, index))


# ---- combined with what is there


def scattered(function, bound=None):
    """`function` of x, the axis, places and updates, all of f64 or of i64; `bound` of the same, and of the result."""

    def reference(x, axis, index, updates):
        axis = range(x.ndim)[axis]
        index = places(index, x.shape[axis])
        convert = exact if x.dtype == F32 else whole
        given = [convert(x), axis, index, convert(updates)]
        y = function(*given)
        if x.dtype != F32 or bound is None:
            return narrow(y.numpy(), x.dtype)
        return Near(y.numpy(), bound(y, *given).numpy())

    return reference


def added(y, x, axis, index, updates):
    """As a sum of so many in any order: n eps of the absolute values."""
    return added_sizes(x, axis, index, updates, torch.scatter_add)


def added_sizes(x, axis, index, updates, add):
    many = add(torch.ones_like(x), axis, index, torch.ones_like(updates))
    return many * EPS * add(x.abs(), axis, index, updates.abs())


def combined(kind):
    return lambda x, axis, index, updates: torch.scatter_reduce(x, axis, index, updates, kind, include_self=True)


def near_one(drawn):
    return [factors(x) if isinstance(x, np.ndarray) else x for x in numeric(scatter_arguments)(drawn)]


verb("scatter", scatter_arguments, scattered(torch.scatter))
verb("scatter_add", numeric(scatter_arguments), scattered(torch.scatter_add, added))
verb("scatter_max", numeric(scatter_arguments), scattered(combined("amax")))
verb("scatter_min", numeric(scatter_arguments), scattered(combined("amin")))
verb("scatter_mul", near_one, scattered(combined("prod"), lambda y, x, axis, index, updates: y.abs() * EPS *
                                        torch.scatter_add(torch.ones_like(x), axis, index, torch.ones_like(updates))))
verb("index_add", index_add_arguments, scattered(torch.index_add, lambda y, *x: added_sizes(*x, torch.index_add)))


def segment_sum(x, at, count):
    start = np.zeros((count,) + x.shape[1:], x.dtype)
    return scattered(torch.index_add, lambda y, *x: added_sizes(*x, torch.index_add))(start, 0, at, x)


def segment_max(x, at, count):
    empty = -np.inf if x.dtype == F32 else np.iinfo(x.dtype).min
    start = np.full((count,) + x.shape[1:], empty, x.dtype)
    return scattered(lambda x, axis, index, updates: torch.index_reduce(x, axis, index, updates, "amax"))(
        start, 0, at, x)


verb("segment_sum", segments, segment_sum)
verb("segment_max", segments, segment_max)


# ---- places themselves


def one_hot(indices, depth):
    if depth < 0:
        raise Refused("a negative depth")
    return torch.nn.functional.one_hot(places(indices, depth), depth).double().numpy() if indices.size else np.zeros(
        indices.shape + (depth,))


verb("one_hot", lambda drawn: [drawn.places(drawn.shape(0, 2), 5), drawn.one_of([5, 7], [4, -1])], one_hot)
verb("nonzero", lambda drawn: [drawn.array(BOOL if drawn.chance(0.95) else I32, drawn.shape(1, 4))],
     lambda mask: array(torch.nonzero(same_kind(mask)), I32) if mask.dtype == BOOL else refuse("no mask"))


def compress(x, mask):
    if mask.shape != x.shape:
        return array(same_kind(x)[same_kind(mask)], x.dtype)
    return array(torch.masked_select(same_kind(x), same_kind(mask)), x.dtype)


verb("compress", compress_arguments, compress)


def gather_nd(x, index, _):
    return array(same_kind(x)[tuple(whole(index).movedim(-1, 0))], x.dtype)


verb("gather_nd", lambda drawn: [*nd_arguments(drawn), 0], gather_nd)
