"""Indices along an axis, coordinates, segments."""

import numpy as np

from comparing.draw import factors
from comparing.rules import BOOL, EPS, F32, I32, NUMERIC, Near, Refused, narrow, refuse, wide

from .order import whole
from .table import verb


def axis_and_length(drawn, x):
    axis = drawn.axis(x.ndim)
    return axis, x.shape[axis] if -x.ndim <= axis < x.ndim else 2


def take_arguments(drawn):
    x = drawn.any(0, 3)
    axis, length = axis_and_length(drawn, x)
    return [x, drawn.places(drawn.shape(0, 2), length), axis]


def require_places(indices, length):
    """Also where nothing is read, which NumPy lets pass."""
    if indices.size and not -length <= indices.min() <= indices.max() < length:
        raise Refused("outside")


def take(x, indices, axis):
    require_places(indices, x.shape[axis])
    return np.take(x, indices, range(x.ndim)[axis])


verb("take", take_arguments, take)


def along_arguments(drawn):
    """x, and places along an axis of it in a shape that is x's elsewhere."""
    x = drawn.any(0 if drawn.chance(0.03) else 1, 3)
    axis, length = axis_and_length(drawn, x)
    shape = list(x.shape)
    if shape and -x.ndim <= axis < x.ndim:
        shape[axis] = drawn.length()
    return x, axis, drawn.places(shape, length)


def gather(x, axis, index):
    """An index that is shorter elsewhere reads x's first elements there, as PyTorch's."""
    axis = range(x.ndim)[axis]
    if any(n > m for i, (n, m) in enumerate(zip(index.shape, x.shape)) if i != axis):
        raise Refused("too long")
    require_places(index, x.shape[axis])
    x = x[tuple(slice(None) if i == axis else slice(n) for i, n in enumerate(index.shape))]
    return np.take_along_axis(x, index.astype(np.int64), axis)


def take_along_axis(x, index, axis):
    """Places where nothing is read are checked too."""
    require_places(index, x.shape[axis])
    return np.take_along_axis(x, index.astype(np.int64), range(x.ndim)[axis])


verb("gather", lambda drawn: list(along_arguments(drawn)), gather)


def broadcast_along(drawn):
    """Axes of one may have length 1 where the other's are longer."""
    x, axis, index = along_arguments(drawn)
    for place in range(x.ndim):
        if drawn.chance(0.2) and place != axis % x.ndim:
            x, index = (np.take(x, [0], place), index) if drawn.flag() and x.shape[place] else (x, index[
                tuple(slice(1) if place == i else slice(None) for i in range(x.ndim))])
    return [x, index, axis]


verb("take_along_axis", broadcast_along,
     take_along_axis)


def scatter_arguments(drawn):
    x, axis, index = along_arguments(drawn)
    return [x, axis, index, drawn.array(x.dtype, index.shape, 0)]


def scatter(combine):
    """n numbers of f32 combine to n eps of their absolute sum, or product."""

    def reference(x, axis, index, updates):
        axis = range(x.ndim)[axis]
        require_places(index, x.shape[axis])
        y, n = combined(wide(x), axis, index, wide(updates)), index.shape[axis] + 1
        if x.dtype == F32 and combine is np.add:
            return Near(y, n * EPS * combined(np.abs(x).astype(np.float64), axis, index, np.abs(updates)))
        return Near(y, n * EPS * np.abs(y)) if x.dtype == F32 and combine is np.multiply else narrow(y, x.dtype)

    def combined(x, axis, index, updates):
        y = x.copy()
        for place in np.ndindex(*index.shape):
            target = place[:axis] + (int(index[place]),) + place[axis + 1:]
            y[target] = combine(y[target], updates[place])
        return y

    return reference


def numeric(arguments, at=0):
    def drawn_again(drawn):
        given = arguments(drawn)
        while given[at].dtype == BOOL:
            given = arguments(drawn)
        return given

    return drawn_again


verb("scatter", scatter_arguments, scatter(lambda old, new: new))
verb("scatter_add", numeric(scatter_arguments), scatter(np.add))
verb("scatter_max", numeric(scatter_arguments), scatter(np.maximum))
verb("scatter_min", numeric(scatter_arguments), scatter(np.minimum))
verb("scatter_mul", lambda drawn: [factors(x) if isinstance(x, np.ndarray) else x
                                   for x in numeric(scatter_arguments)(drawn)],
     scatter(np.multiply))


def index_add_arguments(drawn):
    x = drawn.any(1, 3, dtypes=NUMERIC, special=0)
    axis, length = axis_and_length(drawn, x)
    indices = drawn.places([drawn.length()], length)
    shape = list(x.shape)
    if -x.ndim <= axis < x.ndim:
        shape[axis] = indices.size
    return [x, axis, indices, drawn.array(x.dtype, shape, 0)]


def index_add(x, axis, indices, updates):
    y = added(np.moveaxis(wide(x), axis, 0), indices, np.moveaxis(wide(updates), axis, 0))
    if x.dtype != F32:
        return narrow(np.moveaxis(y, 0, axis), x.dtype)
    sizes = added(np.moveaxis(np.abs(wide(x)), axis, 0), indices, np.moveaxis(np.abs(wide(updates)), axis, 0))
    return Near(np.moveaxis(y, 0, axis), (len(indices) + 1) * EPS * np.moveaxis(sizes, 0, axis))


def added(x, places, updates):
    y = x.copy()
    np.add.at(y, places, updates)
    return y


verb("index_add", index_add_arguments, index_add)


def one_hot(indices, depth):
    if depth < 0:
        raise Refused("a negative depth")
    require_places(indices, depth)
    return np.eye(depth)[indices] if depth else np.zeros(indices.shape + (0,))


verb("one_hot", lambda drawn: [drawn.places(drawn.shape(0, 2), 5), drawn.choice([5, 5, 7, 4, -1])], one_hot)


def compress_arguments(drawn):
    x = drawn.any(1, 4)
    shape = list(x.shape[:drawn.randint(1, x.ndim)])
    if drawn.chance(0.05):
        shape[-1] = 4
    return [x, drawn.array(BOOL, shape)]


verb("compress", compress_arguments, lambda x, mask: x[mask])
verb("nonzero", lambda drawn: [drawn.array(BOOL if drawn.chance(0.95) else I32, drawn.shape(1, 4))],
     lambda mask: np.argwhere(mask).astype(np.int32) if mask.dtype == BOOL else refuse("no mask"))


def segments(drawn):
    x = drawn.any(1, 3, dtypes=NUMERIC, special=0)
    count = drawn.choice([1, 3, 5])
    return [x, whole(drawn, 0, count, x.shape[:1]), count]


def segment_sum(x, places, count):
    return index_add(np.zeros((count,) + x.shape[1:], x.dtype), 0, places, x)


verb("segment_sum", segments, segment_sum)


def segment_max(x, places, count):
    y = np.full((count,) + x.shape[1:], -np.inf if x.dtype == F32 else np.iinfo(x.dtype).min, wide(x).dtype)
    np.maximum.at(y, places, wide(x))
    return narrow(y, x.dtype)


verb("segment_max", segments, segment_max)


def nd_arguments(drawn):
    x = drawn.array(drawn.dtype(NUMERIC), [drawn.choice([1, 2, 3, 5]) for _ in range(drawn.randint(1, 3))], 0)
    depth = drawn.randint(1, x.ndim)
    shape = drawn.shape(1, 2, (0, 1, 2, 3))
    index = np.stack([drawn.places(shape, n, 0.02) for n in x.shape[:depth]], -1)
    return x, index


def nd(index):
    return tuple(np.moveaxis(index, -1, 0))


verb("gather_nd", lambda drawn: [*nd_arguments(drawn), 0], lambda x, index, _: x[nd(index)])


def scatter_nd_arguments(drawn):
    x, index = nd_arguments(drawn)
    return [x, index, drawn.array(x.dtype, index.shape[:-1] + x.shape[index.shape[-1]:], 0)]


def scatter_nd(x, index, updates):
    y = x.copy()
    places = [tuple(place) for place in index.reshape(-1, index.shape[-1])]
    for place in places:
        y[place]  # raises outside
    for place, update in zip(places, updates.reshape((len(places),) + x.shape[index.shape[-1]:])):
        y[place] = update
    return y


def scatter_nd_add(x, index, updates):
    y = added(wide(x), nd(index), wide(updates))
    if x.dtype != F32:
        return narrow(y, x.dtype)
    count = int(np.prod(index.shape[:-1])) + 1
    return Near(y, count * EPS * added(np.abs(wide(x)), nd(index), np.abs(wide(updates))))


verb("scatter_nd", scatter_nd_arguments, scatter_nd)
verb("scatter_nd_add", scatter_nd_arguments, scatter_nd_add)
