"""Places of extremes, statistics of matrices, differences."""

import numpy as np

from comparing.rules import ANY, BOOL, EPS, F32, Near, Refused, narrow, refuse, sum_error, wide

from .reductions import along, checked_axis, counted, in_double, not_empty, real_reduced, reduced
from .table import verb


def argument(function):
    def reference(x, axis, keepdims):
        checked_axis(x, axis)
        if x.shape[axis] == 0:
            raise Refused("over nothing")
        return np.asarray(function(x, axis, keepdims=keepdims)).astype(np.int32)

    return reference


verb("argmax", lambda drawn: along(drawn, ANY) + [drawn.flag()], argument(np.argmax))
verb("argmin", lambda drawn: along(drawn, ANY) + [drawn.flag()], argument(np.argmin))
for name, function in [("argmax_of_all", np.argmax), ("argmin_of_all", np.argmin)]:
    verb(name, lambda drawn: [drawn.any()], lambda x, function=function: np.asarray(function(x)).astype(np.int32))


# ---- statistics of matrices and neighbours


def trace_arguments(drawn):
    return [drawn.any(1 if drawn.chance(0.05) else 2, 4, special=0)]


def trace(x):
    if x.ndim < 2:
        raise Refused("no matrix")
    values, dtype = counted(x)
    total = np.trace(values, axis1=-2, axis2=-1)
    if dtype != F32:
        return narrow(total, dtype)
    return Near(total, sum_error(x.shape[-1]) * np.trace(np.abs(values), axis1=-2, axis2=-1))


verb("trace", trace_arguments, trace)


def variables(drawn):
    """A row of each, or one alone; now and then what is no matrix."""
    return drawn.any(0, 3 if drawn.chance(0.05) else 2, special=0)


def covariance(x, correction):
    """A matrix of one variable stays one, unlike NumPy's."""
    if x.ndim > 2 or x.shape[-1:] == (0,):
        raise Refused("no variables, or none of their values")
    values = np.atleast_2d(x.astype(np.float64))
    return np.cov(values, ddof=int(correction)).reshape(x.shape[:1] * 2 if x.ndim == 2 else ())


def cov(x, correction):
    value = covariance(x, correction)
    deviations = np.sqrt(np.diagonal(np.atleast_2d(value)))
    return Near(value, 1e-5 * np.outer(deviations, deviations).reshape(value.shape))


def corrcoef(x):
    value = np.atleast_2d(covariance(x, 0))
    deviations = np.sqrt(np.diagonal(value))
    return (value / np.outer(deviations, deviations)).reshape(x.shape[:1] * 2 if x.ndim == 2 else ())


# Of deviations, both are within 1e-5.
verb("cov", lambda drawn: [variables(drawn), drawn.choice([0.0, 1.0])], cov)
verb("corrcoef", lambda drawn: [variables(drawn)], corrcoef, absolute=1e-5)


def diff(x, n, axis):
    if n < 0:
        raise Refused("no such difference")
    checked_axis(x, axis)
    if x.dtype == BOOL:
        return np.diff(x, n, axis)
    values = np.diff(wide(x), n, axis)
    return narrow(values, x.dtype) if x.dtype != F32 else Near(values, 4 * EPS * 2.0**n * np.max(np.abs(
        np.where(np.isfinite(x), x, 0)), initial=0).astype(np.float64))


def differences(drawn):
    x = drawn.any(0, 3, special=0.02)
    return [x, drawn.choice([0, 1, 1, 2, 3, -1]), drawn.axis(x.ndim)]


verb("diff", differences, diff)
verb("ptp", reduced, not_empty(lambda x, axes, keepdims: narrow(np.ptp(wide(x), axes, keepdims=keepdims), x.dtype)
                               if x.dtype != BOOL else refuse("arithmetic of booleans")))


def average(x, weights, axes, keepdims):
    def of_double(x, axes, keepdims):
        w = weights.astype(np.float64)
        one = axes if isinstance(axes, int) else axes[0] if axes is not None and len(axes) == 1 else None
        if one is not None and w.ndim == 1:
            if len(w) != x.shape[one]:
                refuse("weights for another length")
            w = np.expand_dims(w, [axis for axis in range(x.ndim) if axis != one % x.ndim])
        w = np.broadcast_to(w, x.shape)
        total = np.sum(w, axes, keepdims=keepdims)
        return Near(np.sum(x * w, axes, keepdims=keepdims) / total,
                    (2 * sum_error(x.size) + 3 * EPS) * np.sum(np.abs(x * w), axes, keepdims=keepdims) / np.abs(total))

    return in_double(of_double)(x, axes, keepdims)


def average_arguments(drawn):
    x, axes, keepdims = real_reduced(drawn)
    weights = np.abs(drawn.array(F32, x.shape if drawn.flag() else x.shape[1:], 0)) + np.float32(0.5)
    x = np.clip(x, -100, 100).astype(x.dtype) if x.dtype != BOOL else x
    return [x, np.asarray(weights, np.float32), axes, keepdims]


verb("average", average_arguments, average)
