"""Movement, places, order and random numbers in NumPy."""

try:
    import numpy as np
except ImportError:  # its tables are looked at without it
    np = None


def sliced(p, x):
    return x[(slice(None),) * p.axis + (slice(p.start, None, p.step),)].copy()


MOVEMENT = {
    "permute": lambda p, x: np.ascontiguousarray(x.transpose(p.axes)),
    "flip": lambda p, x: np.flip(x, p.axis).copy(),
    "slice": sliced,
    "tril": lambda p, x: np.tril(x),
    "ravel_transposed": lambda p, x: x.swapaxes(-2, -1).flatten(),
}


def pads(p):
    flat = p.pads
    return list(zip(flat[::2], flat[1::2]))


def tiled(p, x):
    counts = [1] * x.ndim
    counts[p.axis] = p.count
    return np.tile(x, counts)


JOIN = {
    "concatenate": lambda p, *x: np.concatenate(x, axis=p.axis),
    "stack": lambda p, *x: np.stack(x, axis=p.axis),
    "pad": lambda p, x: np.pad(x, pads(p)),
    "pad_reflect": lambda p, x: np.pad(x, pads(p), mode="reflect"),
    "roll": lambda p, x: np.roll(x, p.shift, axis=p.axis),
    "repeat": lambda p, x: np.repeat(x, p.count, axis=p.axis),
    "tile": tiled,
}

TAKE = {
    "elements": lambda p, x, i: x.take(i),
    "slices": lambda p, x, i: x.take(i, axis=p.axis),
    "pairs": lambda p, x, i, j: x[i, j],
}

TAKE_ALONG = {"take_along_axis": lambda p, x, i: np.take_along_axis(x, i, axis=p.axis)}


def added(x, places, updates):
    y = x.copy()
    np.add.at(y, places, updates)
    return y


def scatter_add(p, x, index, updates):
    other = np.arange(x.shape[1 - p.axis])
    places = (index, other[None, :]) if p.axis == 0 else (other[:, None], index)
    return added(x, places, updates)


def segment_sum(p, x, segments):
    y = np.zeros((p.count,) + x.shape[1:], x.dtype)
    np.add.at(y, segments, x)
    return y


ADDING = {
    "scatter_add": scatter_add,
    "index_add": lambda p, x, i, u: added(x, i, u),
    "index_put_add": lambda p, x, i, j, u: added(x, (i, j), u),
    "segment_sum": segment_sum,
    "bincount": lambda p, i: np.bincount(i, minlength=p.bins),
    "bincount_weighted": lambda p, i, w: np.bincount(i, w, minlength=p.bins),
}

SELECT = {
    "compress": lambda p, x, m: x[m],
    "nonzero": lambda p, m: np.argwhere(m),
    "compress_rows": lambda p, x, m: x[m],
    "compress_positive": lambda p, x: x[x > 0],
}


def in_order(p, x, of):
    if not p.descending:
        return of(x, axis=p.axis, kind="stable")
    # Of equals the first comes first: as places from the end of the axis, turned round.
    turned = np.flip(x, p.axis)
    y = np.flip(of(turned, axis=p.axis, kind="stable"), p.axis)
    return x.shape[p.axis] - 1 - y if of is np.argsort else y


def topk(p, x):
    places = np.argpartition(-x, p.k - 1, axis=-1)[..., :p.k]
    values = np.take_along_axis(x, places, axis=-1)
    order = np.argsort(-values, axis=-1)
    return np.take_along_axis(values, order, axis=-1), np.take_along_axis(places, order, axis=-1)


SORT = {"sort": lambda p, x: in_order(p, x, np.sort), "argsort": lambda p, x: in_order(p, x, np.argsort)}
TOPK = {"topk": topk}


def generator():
    return np.random.default_rng(7)


RANDOM = {
    "uniform": lambda p, x: generator().random(p.shape, dtype=np.float32),
    "normal": lambda p, x: generator().standard_normal(p.shape, dtype=np.float32),
    "randint": lambda p, x: generator().integers(0, 1000, p.shape, dtype=np.int32),
    "bernoulli": lambda p, x: generator().random(p.shape, dtype=np.float32) < 0.3,
    "dropout": lambda p, x: np.where(generator().random(x.shape, dtype=np.float32) < 0.9, x * np.float32(1 / 0.9), 0),
}

TABLE = {"movement": MOVEMENT, "join": JOIN, "take": TAKE, "take_along": TAKE_ALONG, "adding": ADDING,
         "select": SELECT, "sort": SORT, "topk": TOPK, "random": RANDOM}
