"""Order, counting, indices of axes, products."""

import numpy as np

from .rules import ANY, BOOL, F32, I32, NUMERIC, Near, Refused, meet, narrow, wide
from .table import verb

EPS = 2.0**-23


# ---- order


def rows(drawn):
    x = drawn.array(drawn.dtype(), drawn.shape(0 if drawn.chance(0.03) else 1, 3, (0, 1, 2, 3, 5, 13, 127)))
    return x, drawn.axis(x.ndim)


def places_in_order(x, axis, descending):
    """Stable, NaN last in either direction."""
    key, axis = wide(x), range(x.ndim)[axis]
    if descending:
        key = np.where(np.isnan(key), key, -key)
    return np.argsort(key, axis, kind="stable")


def ordered(x, axis, descending):
    return np.take_along_axis(x, places_in_order(x, axis, descending), axis)


verb("sort", lambda drawn: [*rows(drawn), drawn.flag()], ordered)
verb("argsort", lambda drawn: [*rows(drawn), drawn.flag()], lambda *x: places_in_order(*x).astype(np.int32))


def topk(x, k, axis, largest=True):
    if not 0 <= k <= x.shape[range(x.ndim)[axis]]:
        raise Refused("more than there are")
    places = np.take(places_in_order(x, axis, largest), range(k), axis)
    return [np.take_along_axis(x, places, axis), places.astype(np.int32)]


verb("topk", lambda drawn: (lambda x, axis: [x, drawn.choice([0, 1, 2, 3, 5, 200]), axis])(*rows(drawn)), topk)
verb("topk_smallest", lambda drawn: (lambda x, axis: [x, drawn.choice([0, 1, 2, 3, 5]), axis, drawn.flag()])(*rows(drawn)),
     topk)


def keys_and_values(drawn):
    keys, _ = rows(drawn)
    return [keys, drawn.array(drawn.dtype(), keys.shape if drawn.chance(0.95) else [3]), drawn.flag()]


def sort_by_key(keys, values, descending):
    if keys.shape != values.shape:
        raise Refused("shapes differ")
    places = places_in_order(keys, -1, descending)
    return [np.take_along_axis(keys, places, -1), np.take_along_axis(values, places, -1)]


verb("sort_by_key", keys_and_values, sort_by_key)


# ---- counting


def same_kind(drawn, first, second, dtypes=ANY, special=0.05):
    dtype = drawn.dtype(dtypes)
    return drawn.array(dtype, first, special), drawn.array(dtype, second, special)


def searchsorted_arguments(drawn):
    keys, values = same_kind(drawn, drawn.shape(1, 1), drawn.shape(0, 2))
    return [np.sort(keys), values, drawn.flag()]


verb("searchsorted", searchsorted_arguments,
     lambda keys, values, right: np.asarray(np.searchsorted(keys, values, "right" if right else "left")).astype(np.int32))


def whole(drawn, low, high, shape):
    bits = np.random.default_rng(drawn.getrandbits(64))
    return np.asarray(bits.integers(low, high, shape)).astype(np.int32)


def bincount_arguments(drawn):
    x = whole(drawn, -1 if drawn.chance(0.05) else 0, 9, drawn.shape(1, 1))
    weights = None if drawn.flag() else drawn.array(F32, x.shape, 0)
    return [x, weights, drawn.choice([0, 0, 5, 20])]


def bincount(x, weights, minlength):
    counts = np.bincount(x, None if weights is None else weights.astype(np.float64), minlength)
    return counts.astype(np.int32) if weights is None else Near(counts, 1e-4)


verb("bincount", bincount_arguments, bincount)
verb("unique", lambda drawn: [np.sort(drawn.any(1, 1))], lambda x: x[_firsts(x)])


def _firsts(x):
    """Whether an element differs from the one before; NaN equals NaN."""
    if x.size == 0:
        return np.zeros(0, bool)
    differs = (x[1:] != x[:-1]) & ~((x[1:] != x[1:]) & (x[:-1] != x[:-1]))
    return np.concatenate([[True], differs])


def unique_all(x):
    values, first, inverse, counts = np.unique(x, True, True, True)
    return [values, first.astype(np.int32), inverse.reshape(x.shape).astype(np.int32), counts.astype(np.int32)]


verb("unique_all", lambda drawn: [drawn.any(0, 3)], unique_all)


def histogram_arguments(drawn):
    x = drawn.array(F32, drawn.shape(0, 2), 0)
    return [x, drawn.choice([1, 2, 4, 8, 16]), drawn.choice([-4.0, 0.0]), drawn.choice([4.0, 8.0])]


def histogram(x, bins, low, high):
    counts, edges = np.histogram(x.astype(np.float64), bins, (low, high))
    return [counts.astype(np.int32), edges.astype(np.float64)]


verb("histogram", histogram_arguments, histogram)


# ---- indices of an axis


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
verb("take_along_axis", lambda drawn: (lambda x, axis, index: [x, index, axis])(*along_arguments(drawn)),
     take_along_axis)


def scatter_arguments(drawn):
    x, axis, index = along_arguments(drawn)
    return [x, axis, index, drawn.array(x.dtype, index.shape, 0)]


def scatter(combine):
    def reference(x, axis, index, updates):
        axis = range(x.ndim)[axis]
        require_places(index, x.shape[axis])
        y = wide(x).copy()
        for place in np.ndindex(*index.shape):
            target = place[:axis] + (int(index[place]),) + place[axis + 1:]
            y[target] = combine(y[target], wide(updates)[place])
        return narrow(y, x.dtype)

    return reference


def numeric(arguments, at=0):
    def drawn_again(drawn):
        given = arguments(drawn)
        while given[at].dtype == BOOL:
            given = arguments(drawn)
        return given

    return drawn_again


verb("scatter", scatter_arguments, scatter(lambda old, new: new))
verb("scatter_add", numeric(scatter_arguments), scatter(np.add), relative=1e-5, absolute=1e-4)
verb("scatter_max", numeric(scatter_arguments), scatter(np.maximum))
verb("scatter_min", numeric(scatter_arguments), scatter(np.minimum))
verb("scatter_mul", numeric(scatter_arguments), scatter(np.multiply), relative=1e-5, absolute=1e-4)


def index_add_arguments(drawn):
    x = drawn.any(1, 3, dtypes=NUMERIC, special=0)
    axis, length = axis_and_length(drawn, x)
    indices = drawn.places([drawn.length()], length)
    shape = list(x.shape)
    if -x.ndim <= axis < x.ndim:
        shape[axis] = indices.size
    return [x, axis, indices, drawn.array(x.dtype, shape, 0)]


def index_add(x, axis, indices, updates):
    y = np.moveaxis(wide(x).copy(), axis, 0)
    np.add.at(y, indices, np.moveaxis(wide(updates), axis, 0))
    return narrow(np.moveaxis(y, 0, axis), x.dtype)


verb("index_add", index_add_arguments, index_add, relative=1e-5, absolute=1e-4)


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
     lambda mask: np.argwhere(mask).astype(np.int32) if mask.dtype == BOOL else _refuse())


def _refuse():
    raise Refused("no mask")


def segments(drawn):
    x = drawn.any(1, 3, dtypes=NUMERIC, special=0)
    count = drawn.choice([1, 3, 5])
    return [x, whole(drawn, 0, count, x.shape[:1]), count]


def segment(combine, empty):
    def reference(x, places, count):
        y = np.full((count,) + x.shape[1:], empty(x.dtype), wide(x).dtype)
        combine.at(y, places, wide(x))
        return narrow(y, x.dtype)

    return reference


verb("segment_sum", segments, segment(np.add, lambda dtype: 0), relative=1e-5, absolute=1e-4)
verb("segment_max", segments, segment(np.maximum, lambda dtype: -np.inf if dtype == F32 else np.iinfo(dtype).min))


def nd_arguments(drawn):
    x = drawn.array(drawn.dtype(NUMERIC), drawn.shape(1, 3, (1, 2, 3, 5)), 0)
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
    y = wide(x).copy()
    np.add.at(y, nd(index), wide(updates))
    return narrow(y, x.dtype)


verb("scatter_nd", scatter_nd_arguments, scatter_nd)
verb("scatter_nd_add", scatter_nd_arguments, scatter_nd_add, relative=1e-5, absolute=1e-4)


# ---- products


def product(function, absolute=None):
    """Of f32 within the sum of the absolute products; integers wrap."""

    def reference(a, b, *more):
        a, b = meet(a, b)
        if a.dtype == BOOL:
            raise Refused("products of booleans")
        value = function(wide(a), wide(b), *more)
        if a.dtype != F32:
            return narrow(value, a.dtype)
        return Near(value, 300 * EPS * (absolute or function)(np.abs(wide(a)), np.abs(wide(b)), *more))

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


verb("matmul", matrices, product(np.matmul))
verb("dot", vectors, product(np.dot))
verb("outer", lambda drawn: [drawn.array(drawn.dtype((F32, I32)), drawn.shape(0 if drawn.chance(0.1) else 1, 2), 0) for _ in range(2)],
     product(np.outer))


def inner_arguments(drawn):
    dtype, length = drawn.dtype(NUMERIC), [drawn.length()]
    return [drawn.array(dtype, drawn.shape(0, 2) + length, 0), drawn.array(dtype, drawn.shape(0, 1) + length, 0)]


verb("inner", inner_arguments, product(np.inner))


def weighted(drawn):
    shapes = drawn.broadcasting(2)
    dtype = drawn.dtype(NUMERIC)
    rank = max(map(len, shapes))
    return [drawn.array(dtype, s, 0) for s in shapes] + [drawn.axes(rank), drawn.flag()]


verb("multiply_sum", weighted, product(lambda a, b, axes, keepdims: np.sum(a * b, tuple(axes) or None, keepdims=keepdims)))
