"""Scans."""

import numpy as np

from comparing.draw import factors
from comparing.rules import ANY, BOOL, EPS, F32, I32, WHOLE, Near, narrow, sum_error, wide

from .reductions import along, checked_axis
from .table import verb


def scanned(drawn):
    return along(drawn, ANY, 0.01) + [drawn.flag() and drawn.flag(), drawn.flag() and drawn.flag()]


def scan(function, identity, result=lambda x: x.dtype):
    """Inclusive and from the front is NumPy's; the others move, or turn around."""

    def reference(x, axis, exclusive, reverse):
        checked_axis(x, axis)
        values = np.moveaxis(wide(x), axis, 0)
        values = values[::-1] if reverse else values
        if exclusive:
            first = np.full_like(values[:1], identity(x) if callable(identity) else identity)
            values = np.concatenate([first, values[:-1]]) if len(values) else values
        scanned = function(values, axis=0)
        scanned = np.moveaxis(scanned[::-1] if reverse else scanned, 0, axis)
        return near(scanned, x, function, axis) if x.dtype == F32 else narrow(scanned, result(x))

    return reference


def near(values, x, function, axis):
    if function is np.cumsum:
        magnitudes = np.abs(np.where(np.isfinite(x), x, 0).astype(np.float64))
        return Near(values, sum_error(x.shape[axis]) * np.sum(magnitudes, axis, keepdims=True) + 0 * np.where(
            np.isfinite(values), values, 0))
    return Near(values, x.shape[axis] * EPS * np.abs(values)) if function is np.cumprod else values


def count(x):
    return I32 if x.dtype == BOOL else x.dtype


def lowest(x):
    return {F32: -np.inf, BOOL: 0}.get(x.dtype, np.iinfo(x.dtype).min if x.dtype in WHOLE else 0)


def highest(x):
    return {F32: np.inf, BOOL: 1}.get(x.dtype, np.iinfo(x.dtype).max if x.dtype in WHOLE else 0)


verb("cumsum", scanned, scan(np.cumsum, 0, count))
verb("cumprod", lambda drawn: (lambda x, *more: [factors(x), *more])(*scanned(drawn)),
     scan(np.cumprod, 1, count))
verb("cummax", scanned, scan(np.maximum.accumulate, lowest))
verb("cummin", scanned, scan(np.minimum.accumulate, highest))
verb("logcumsumexp", lambda drawn: along(drawn, (F32,)) + [drawn.chance(0.2), drawn.chance(0.2)],
     scan(np.logaddexp.accumulate, -np.inf), relative=1e-5, absolute=1e-5)
