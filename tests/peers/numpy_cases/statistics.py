"""Places of extremes, statistics of matrices, differences."""

import numpy as np

from .reductions import along, checked_axis, counted, in_double, not_empty, real_reduced, reduced
from .rules import ANY, BOOL, EPS, F32, Near, Refused, narrow, wide
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
    return narrow(np.trace(values, axis1=-2, axis2=-1), dtype)


verb("trace", trace_arguments, trace, relative=1e-5, absolute=1e-4)


def variables(drawn):
    return drawn.array(F32, [drawn.choice([2, 5, 13])] * drawn.randint(1, 2), 0)


verb("cov", lambda drawn: [variables(drawn), drawn.choice([0.0, 1.0])],
     lambda x, correction: np.asarray(np.cov(x.astype(np.float64), ddof=int(correction))), relative=1e-4, absolute=1e-3)
verb("corrcoef", lambda drawn: [variables(drawn)], lambda x: np.asarray(np.corrcoef(x.astype(np.float64))),
     absolute=1e-3)


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
                               if x.dtype != BOOL else _refuse()))


def _refuse():
    raise Refused("arithmetic of booleans")


def average(x, weights, axes, keepdims):
    def of_double(x, axes, keepdims):
        w = np.broadcast_to(weights.astype(np.float64), x.shape)
        total = np.sum(w, axes, keepdims=keepdims)
        return Near(np.sum(x * w, axes, keepdims=keepdims) / total,
                    400 * EPS * np.sum(np.abs(x * w), axes, keepdims=keepdims) / np.abs(total))

    return in_double(of_double)(x, axes, keepdims)


def average_arguments(drawn):
    x, axes, keepdims = real_reduced(drawn)
    weights = np.abs(drawn.array(F32, x.shape if drawn.flag() else x.shape[1:], 0)) + np.float32(0.5)
    x = np.clip(x, -100, 100).astype(x.dtype) if x.dtype != BOOL else x
    return [x, np.asarray(weights, np.float32), axes, keepdims]


verb("average", average_arguments, average)
