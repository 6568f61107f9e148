"""Whether an answer is what the reference gives."""

import numpy as np

from .rules import F32, Near
from .wire import DTYPES

TINY = float(np.finfo(np.float32).tiny)


class Bounds:
    """Of f32; meeting one suffices, 0 is the correctly rounded value. Denormals may be flushed."""

    def __init__(self, ulp=0, relative=0, absolute=0):
        self.ulp, self.relative, self.absolute = ulp, relative, absolute


EXACT = Bounds()


def rounded(x):
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(np.float32)


def _close(actual, expected, bounds):
    """Where an f32 answer is close enough to a reference in f32 or f64."""
    if isinstance(expected, Near):
        value, bound = expected.value, expected.bound
    else:
        value, bound = np.asarray(expected, np.float64), 0.0
    nearest = rounded(value)
    with np.errstate(all="ignore"):
        step = np.spacing(np.abs(np.where(np.isfinite(nearest), nearest, np.float32(3e38))).astype(np.float32))
        step = np.maximum(step.astype(np.float64), 2.0**-149)
        error = np.abs(actual.astype(np.float64) - np.where(np.isinf(nearest) & np.isfinite(value), nearest, value))
        allowed = np.maximum.reduce(np.broadcast_arrays(
            (bounds.ulp + 0.5000001) * step, bounds.relative * np.abs(value), bounds.absolute + 0 * error,
            bound + 0.5 * step))
        edge = (np.abs(value) > 3.4e38 * (1 - 1e-6)) & np.isfinite(value) & (bounds.ulp > 0) & (np.abs(actual) > 3.4e38)
        flushed = (np.abs(value) < TINY * (1 + 1e-6)) & (np.abs(actual) <= TINY)
        return (actual == nearest) | (np.isnan(actual) & np.isnan(value)) | (error <= allowed) | edge & (
            np.sign(actual) == np.sign(value)) | flushed


def difference(actual, expected, bounds=EXACT):
    """None, or what differs in a sentence."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return f"{len(expected)} results are expected: {actual!r}"
        found = (difference(a, e, bounds) for a, e in zip(actual, expected))
        return next((f"result {i}: {text}" for i, text in enumerate(found) if text), None)
    if isinstance(expected, (bool, int)) and not isinstance(actual, np.ndarray):
        return None if actual == expected else f"{expected} is expected: {actual}"
    if not isinstance(actual, np.ndarray):
        return f"a tensor is expected: {actual!r}"
    return _of_arrays(actual, expected, bounds)


def _of_arrays(actual, expected, bounds):
    value = expected.value if isinstance(expected, Near) else np.asarray(expected)
    dtype = F32 if value.dtype == np.float64 else value.dtype
    if dtype not in DTYPES.values():
        raise TypeError(f"the reference gives {dtype}")
    if actual.dtype != dtype:
        return f"{dtype} is expected: {actual.dtype}"
    if actual.shape != value.shape:
        return f"shape {value.shape} is expected: {actual.shape}"
    same = _close(actual, expected, bounds) if dtype == F32 else actual == value
    if np.all(same):
        return None
    place = tuple(int(i) for i in np.argwhere(~np.asarray(same))[0])
    return (f"{np.count_nonzero(~np.asarray(same))} of {actual.size} elements differ, first at {place}: "
            f"{value[place]!r} is expected, not {actual[place]!r}")
