"""Indexing: reading, replacing and adding, by drawn lists of indices in every order."""

import numpy as np

from comparing.rules import ANY, BOOL, F32, I32, NUMERIC, Near, Refused, common, meet, narrow, wide
from comparing.wire import Index

from .table import verb

LENGTHS = (0, 1, 2, 3, 4, 5)
MOST_AXES = 8  # of a tensor of ours; NumPy has 32


# ---- index lists


def drawn_slice(drawn, length):
    def bound():
        return drawn.choice([None, drawn.randint(-length - 3, length + 3), drawn.randint(-length, length)])

    step = drawn.choice([None, 1, 1, 2, 3, -1, -1, -2, 7] if drawn.chance(0.98) else [0])
    return slice(bound(), bound(), step)


def drawn_integer(drawn, length):
    if length == 0 or drawn.chance(0.02):
        return drawn.choice([length, -length - 1, 100])
    return drawn.randrange(-length, length)


class Kinds:
    """Which indices a list is made of; those of tensors share a shape."""

    def __init__(self, drawn):
        self.drawn = drawn
        views, tensors, masks = [(3, 3, 0, 0), (1, 3, 0, 0)], [(1, 2, 3, 0), (0, 1, 3, 0)], [(1, 1, 1, 2), (1, 2, 2, 1)]
        self.weights = drawn.choice(views + 2 * tensors + 2 * masks)  # of integers, slices, tensors and masks
        self.shape = [drawn.choice([0, 1, 2, 3, 3] if drawn.chance(0.2) else [1, 2, 3])
                      for _ in range(drawn.choice([0, 1, 1, 1, 2, 2, 3]))]

    def tensor(self, length):
        """Places of a shape that broadcasts to the list's."""
        drawn = self.drawn
        shape = self.shape[drawn.randint(0, len(self.shape)) if drawn.chance(0.3) else 0:]
        shape = [1 if drawn.chance(0.2) else n for n in shape]
        if drawn.chance(0.02):
            shape = [5]
        return drawn.places(shape, length, 0.03)

    def mask(self, lengths):
        """Of these axes; with about as many true elements as the others have places."""
        drawn = self.drawn
        shape = [n + 1 if drawn.chance(0.02) else n for n in lengths]
        mask = drawn.array(BOOL, shape)
        if self.shape and mask.size and drawn.chance(0.8):
            mask = np.zeros(mask.size, bool)
            mask[drawn.sample(range(mask.size), min(self.shape[-1], mask.size))] = True
        return mask.reshape(shape)

    def next(self, lengths):
        """An index for the first of these axes, or for several."""
        drawn = self.drawn
        kind = drawn.choices("islm", self.weights)[0]
        if kind == "i":
            return drawn_integer(drawn, lengths[0]), 1
        if kind == "s":
            return drawn_slice(drawn, lengths[0]) if drawn.chance(0.7) else slice(None), 1
        if kind == "l":
            return self.tensor(lengths[0]), 1
        count = drawn.choice([1, 1, min(2, len(lengths)), len(lengths)])
        return self.mask(lengths[:count]), count


def drawn_indices(drawn, shape):
    """A list for an array of this shape. An ellipsis may stand anywhere, newaxis too."""
    kinds, indices, axis = Kinds(drawn), Index(), 0
    stop = drawn.randint(0, len(shape)) if drawn.flag() else len(shape)
    while axis < stop:
        index, count = kinds.next(shape[axis:])
        indices.append(index)
        axis += count
        if drawn.chance(0.1) and not any(one is Ellipsis for one in indices):
            skipped = drawn.randint(0, len(shape) - axis)  # whole axes: the rest is counted from the end
            indices.append(Ellipsis)
            axis, stop = axis + skipped, len(shape)
    extras(drawn, indices)
    return indices


def extras(drawn, indices):
    for _ in range(drawn.choice([0, 0, 0, 1, 2])):
        indices.insert(drawn.randint(0, len(indices)), None)
    if drawn.chance(0.05):
        indices.insert(drawn.randint(0, len(indices)), np.asarray(drawn.flag()))  # a mask of no axes
    if not any(one is Ellipsis for one in indices) and drawn.chance(0.2):
        indices.insert(drawn.choice([0, len(indices)]), Ellipsis)
    if drawn.chance(0.01):
        indices.append(drawn.choice([0, Ellipsis]))


def pair(drawn, dtypes=ANY):
    """x and indices of it."""
    while True:
        x = drawn.array(drawn.dtype(dtypes), drawn.shape(0, 5, LENGTHS), 0.05)
        indices = drawn_indices(drawn, list(x.shape))
        try:
            if at(x, indices).ndim <= MOST_AXES and at(x, indices).size <= 20000:
                return x, indices
        except (IndexError, ValueError, DeprecationWarning, Refused):
            return x, indices


def in_numpy(indices):
    """A tensor of rank 0 is an integer to NumPy, which is looked at where tensors beside it name no place at all."""
    tensors = [one for one in indices if isinstance(one, np.ndarray)]
    nowhere = 0 in [np.count_nonzero(one) if one.dtype == BOOL else one.size for one in tensors]
    numbers = [id(one) for one in tensors if nowhere and one.ndim == 0 and one.dtype == I32]
    return tuple(one.reshape(1) if id(one) in numbers else one for one in indices)


def axes_of(index):
    if index is None or index is Ellipsis:
        return 0
    return index.ndim if isinstance(index, np.ndarray) and index.dtype == BOOL else 1


def require_masks(x, indices):
    """That each has the shape of its axes, which NumPy does not ask for where one of them has length 0."""
    axis = 0
    for index in indices:
        if index is Ellipsis:
            axis = x.ndim - sum(map(axes_of, indices)) + axis
        if isinstance(index, np.ndarray) and index.dtype == BOOL and index.shape != x.shape[axis:axis + index.ndim]:
            raise Refused("a mask of another shape")
        axis += axes_of(index)


def at(x, indices):
    result = x[in_numpy(indices)]
    require_masks(x, indices)
    return result


verb("index", lambda drawn: list(pair(drawn)), at, times=12)


# ---- replacing and adding


def drawn_value(drawn, x, indices):
    """What broadcasts to the indexed shape: now and then of another dtype, a number, or too long."""
    try:
        shape = list(at(x, indices).shape)
    except (IndexError, ValueError, DeprecationWarning, Refused):
        shape = [1]
    if drawn.chance(0.15):
        return drawn.choice([0, 1, 2, -3, 0.5, True])
    shape = shape[drawn.randint(0, len(shape)) if drawn.chance(0.3) else 0:]
    shape = [1 if drawn.chance(0.15) else n for n in shape]
    if drawn.chance(0.03):
        shape = [7] + shape if len(shape) < MOST_AXES else [7]
    return drawn.array(x.dtype if drawn.chance(0.85) else drawn.dtype(), shape, 0)


def with_value(drawn, dtypes=ANY):
    x, indices = pair(drawn, dtypes)
    return [x, indices, drawn_value(drawn, x, indices)]


def converted(x, indices, value):
    """The value in x's dtype and of the indexed shape."""
    shape = at(x, indices).shape
    if common(x, value) != x.dtype:
        raise Refused("the value does not convert")
    return np.broadcast_to(meet(x, value)[1], shape)


def places_of(x, indices):
    return at(np.arange(x.size).reshape(x.shape), indices).ravel()


def index_put(x, indices, value):
    """NumPy's assignment, but for places that are named twice, where the last in row-major order must win."""
    value, places, y = converted(x, indices, value), places_of(x, indices), x.copy()
    if np.unique(places).size == places.size:
        y[in_numpy(indices)] = value
    else:
        for place, one in zip(places, value.ravel()):
            y.flat[place] = one
    return y


def index_put_add(x, indices, value):
    if x.dtype == BOOL:
        raise Refused("arithmetic of booleans")
    value, y, size = converted(x, indices, value), wide(x).copy(), np.abs(wide(x))
    for total, more in ((y, wide(value)), (size, np.abs(wide(value)))):
        if x.ndim and x.size:
            np.add.at(total, in_numpy(indices), more)
        else:  # which ufunc.at does not take
            np.add.at(total.reshape(-1), places_of(x, indices), more.ravel())
    return Near(y, 2.0**-20 * size) if x.dtype == F32 else narrow(y, x.dtype)


verb("index_put", with_value, index_put, keep=True, times=10)
verb("index_put_add", lambda drawn: with_value(drawn, NUMERIC if drawn.chance(0.97) else ANY), index_put_add, keep=True,
     times=6)


# ---- in a loop, where it writes in place


def shifted(drawn):
    """A slice of x put into another of the same lengths: what is read must be what was there before."""
    x = drawn.array(drawn.dtype(), drawn.shape(1, 3, (2, 3, 5, 13)), 0)
    x = x if x.size else np.ones([5] * x.ndim, x.dtype)
    to, source = Index(), Index()
    for length in x.shape:
        step, count = drawn.choice([1, 1, 2]), drawn.randint(1, length)
        count = min(count, (length - 1) // step + 1)
        room = length - (count - 1) * step
        starts = [drawn.randrange(room) for _ in range(2)]
        to.append(slice(starts[0], starts[0] + (count - 1) * step + 1, step))
        source.append(slice(starts[1], starts[1] + (count - 1) * step + 1, step))
        if drawn.chance(0.3) and source[-1].start > 0 or source[-1].start == 0 and drawn.chance(0.3):
            first = source[-1].start - 1
            source[-1] = slice(source[-1].stop - 1, first if first >= 0 else None, -step)
    return [x, to, source, drawn.randint(1, 3), drawn.flag()]


def shift(x, to, source, times, _):
    y = x.copy()
    for _ in range(times):
        y[tuple(to)] = y[tuple(source)].copy()
    return y


verb("index_put_of_itself", shifted, shift, times=3)
