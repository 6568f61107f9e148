"""Order and counting."""

import numpy as np

from comparing.rules import ANY, BOOL, EPS, F32, Near, Refused, meet, wide

from .table import verb


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


def topk_arguments(drawn):
    x, axis = rows(drawn)
    return [x, drawn.choice([0, 1, 2, 3, 5, 200]), axis, drawn.flag()]


verb("topk", topk_arguments, topk)


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
    """One row of keys for all values, or one for each row of theirs."""
    rows = drawn.shape(1, 2)
    one = drawn.flag()
    keys, values = same_kind(drawn, [drawn.length()] if one else rows, drawn.shape(0, 2) if one else rows[:-1] + [3])
    return [np.sort(keys), values if drawn.chance(0.8) else drawn.array(drawn.dtype(), values.shape), drawn.flag()]


def searchsorted(keys, values, right):
    keys, values = meet(keys, values)
    side = "right" if right else "left"
    if keys.ndim == 1:
        return np.asarray(np.searchsorted(keys, values, side)).astype(np.int32)
    found = [np.searchsorted(row, wanted, side) for row, wanted in zip(keys, values)]
    return np.asarray(found, np.int32).reshape(values.shape)


verb("searchsorted", searchsorted_arguments, searchsorted)


def whole(drawn, low, high, shape):
    bits = np.random.default_rng(drawn.getrandbits(64))
    return np.asarray(bits.integers(low, high, shape)).astype(np.int32)


def bincount_arguments(drawn):
    x = whole(drawn, -1 if drawn.chance(0.05) else 0, 9, drawn.shape(1, 1))
    weights = None if drawn.flag() else drawn.array(F32, x.shape, 0)
    return [x, weights, drawn.choice([0, 0, 5, 20])]


def bincount(x, weights, minlength):
    if weights is None:
        return np.bincount(x, None, minlength).astype(np.int32)
    totals, sizes = (np.bincount(x, one.astype(np.float64), minlength) for one in (weights, np.abs(weights)))
    return Near(totals, x.size * EPS * sizes)


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
    """Edges that are f32, with elements on them; or any, with none within an ULP of one but the ends."""
    x = drawn.array(F32, drawn.shape(0, 2))
    if drawn.flag():
        return [x, drawn.choice([1, 2, 4, 8, 16]), drawn.choice([-4.0, 0.0]), drawn.choice([4.0, 8.0, 0.0])]
    low = float(np.float32(drawn.uniform(-9, 5)))
    high = float(np.float32(low + drawn.choice([1e-3, 1.0, 10.0]) * drawn.uniform(0.1, 1)))
    bins = drawn.choice([0, -1]) if drawn.chance(0.03) else drawn.randint(1, 17)
    x = np.where(drawn.array(BOOL, x.shape), x, np.float32(low) + drawn.array(F32, x.shape, 0, 0.1 * (high - low)))
    inner = np.linspace(low, high, max(bins, 0) + 1)[1:-1].astype(np.float32)
    close = np.abs(x[..., None].astype(np.float64) - inner) <= np.spacing(np.abs(inner))
    x = np.where(np.any(close, -1), np.float32(low), x)
    return [x, bins, low, high]


def histogram(x, bins, low, high):
    if not low < high:
        raise Refused("no range")
    counts, edges = np.histogram(x[np.isfinite(x)].astype(np.float64), bins, (low, high))
    return [counts.astype(np.int32), Near(edges, 1e-14)]


verb("histogram", histogram_arguments, histogram)
