"""Reductions."""

import numpy as np

from comparing.draw import factors
from comparing.rules import ANY, BOOL, EPS, F32, I32, Near, Refused, narrow, sum_error, wide

from .table import verb


def reduced(drawn, dtypes=ANY, special=0.02):
    x = drawn.array(drawn.dtype(dtypes), drawn.shape(), special if drawn.flag() else 0)
    return [np.clip(x, -1e30, 1e30) if x.dtype == F32 and not np.isinf(x).any() else x, drawn.axes(x.ndim),
            drawn.flag()]


def real_reduced(drawn):
    return reduced(drawn, (F32, F32, F32, I32, BOOL))


def of(axes):
    return tuple(axes) if len(axes) else None


def counted(x):
    """What sums and products of a dtype are computed and given in."""
    return (wide(x), I32 if x.dtype == BOOL else x.dtype)


def sums(function):
    def reference(x, axes, keepdims):
        values, dtype = counted(x)
        total = function(values, axis=of(axes), keepdims=keepdims)
        if dtype != F32:
            return narrow(total, dtype)
        return Near(total, sum_error(lengths(x, axes)) * function(np.abs(values), axis=of(axes), keepdims=keepdims))

    return reference


def products(x, axes, keepdims):
    values, dtype = counted(x)
    total = np.prod(values, axis=of(axes), keepdims=keepdims)
    return narrow(total, dtype) if dtype != F32 else Near(total, lengths(x, axes) * EPS * np.abs(total))


def lengths(x, axes):
    return int(np.prod([x.shape[a] for a in (axes if len(axes) else range(x.ndim))], dtype=np.int64))


def not_empty(function):
    """Over nothing there is no result."""

    def reference(x, axes, keepdims, *more):
        np.sum(x, axis=of(axes))  # raises for wrong axes
        if lengths(x, axes) == 0:
            raise Refused("over nothing")
        return function(x, of(axes), keepdims, *more)

    return reference


def in_double(function):
    return not_empty(lambda x, axes, keepdims, *more: function(x.astype(np.float64), axes, keepdims, *more))


def extreme(function):
    return not_empty(lambda x, axes, keepdims: function(x, axis=axes, keepdims=keepdims))


def truth(function):
    return lambda x, axes, keepdims: function(x != 0, axis=of(axes), keepdims=keepdims)


def mean(x, axes, keepdims):
    return Near(np.mean(x, axes, keepdims=keepdims), sum_error(x.size) * np.mean(np.abs(x), axes, keepdims=keepdims))


def spread(root):
    """Variance, or its root; a divisor that is not positive is NumPy's."""

    def of_double(x, axes, keepdims, correction=0.0):
        centre = np.mean(x, axes, keepdims=True)
        count = x.size / max(centre.size, 1)
        squares = np.sum(np.square(x - centre), axes, keepdims=keepdims)
        value = squares / max(count - correction, 0)
        slack = 1e-6 * np.square(centre).reshape(np.shape(value)) * count / max(count - correction, 1e-9)
        if not root:
            return Near(value, 1e-5 * value + slack)
        return Near(np.sqrt(value), 1e-5 * np.sqrt(value) + 1e-3 * np.abs(centre).reshape(np.shape(value)))

    return of_double


verb("sum", reduced, sums(np.sum))
verb("nansum", reduced, sums(np.nansum))
verb("prod", lambda drawn: (lambda x, *more: [factors(x), *more])(*reduced(drawn)), products)
verb("max", reduced, extreme(np.max))
verb("min", reduced, extreme(np.min))
verb("any", reduced, truth(np.any))
verb("all", reduced, truth(np.all))
verb("mean", real_reduced, in_double(mean))


def with_correction(drawn):
    return real_reduced(drawn) + [drawn.choice([0.0, 1.0, 0.5])]


verb("var", with_correction, in_double(spread(False)))
def with_squares(drawn):
    """What f32 holds the squares of."""
    x, *more = with_correction(drawn)
    return [np.where(np.isinf(x), x, np.clip(x, -1e15, 1e15)).astype(x.dtype), *more]


verb("stddev", with_squares, in_double(spread(True)), absolute=1e-18)  # whose square f32 rounds to 0
verb("moments", real_reduced,
     not_empty(lambda x, axes, keepdims: [mean(x.astype(np.float64), axes, keepdims),
                                          spread(False)(x.astype(np.float64), axes, keepdims)]))
verb("count_nonzero", reduced,
     lambda x, axes, keepdims: np.asarray(np.count_nonzero(x, axis=of(axes), keepdims=keepdims)).astype(np.int32))


def missing(function):
    return not_empty(lambda x, axes, keepdims: function(x, axis=axes, keepdims=keepdims) if x.dtype == F32 else
                     getattr(np, function.__name__[3:])(x, axis=axes, keepdims=keepdims))


verb("nanmax", reduced, missing(np.nanmax))
verb("nanmin", reduced, missing(np.nanmin))


def nanmean(x, axes, keepdims):
    magnitude = np.nanmean(np.abs(x), axes, keepdims=keepdims)
    return Near(np.nanmean(x, axes, keepdims=keepdims), sum_error(x.size) * magnitude)


verb("nanmean", real_reduced, in_double(nanmean))


def median(x, axes, keepdims):  # np.median cannot do nothing of several axes
    return np.median(x, axes, keepdims=keepdims) if x.size else np.sum(x, axes, keepdims=keepdims)


verb("median", real_reduced, in_double(median))


def quantile(x, axes, keepdims, q):
    low, high = (np.quantile(x, q, axes, method=method, keepdims=keepdims) for method in ("lower", "higher"))
    between = np.quantile(x, q, axes, keepdims=keepdims)
    infinite = np.isinf(low) | np.isinf(high)
    between = np.where(infinite, low + np.where(low == high, 0, high), between)
    return Near(between, EPS * np.maximum(np.abs(low), np.abs(high)))


def quantile_arguments(drawn):
    x, axes, keepdims = real_reduced(drawn)
    return [x, drawn.choice([0.0, 1.0, 0.5, 0.25, 0.9]), axes, keepdims]


def quantiles(x, q, axes, keepdims):
    values = x.astype(np.float64)
    count = lengths(x, axes) if x.ndim else 1
    place = q * (count - 1)
    if x.size == 0 and count > 0:  # which np.quantile cannot do
        return np.sum(values, of(axes), keepdims=keepdims)
    if place == int(place):  # no neighbour counts
        return in_double(lambda x, axes, keepdims: np.quantile(x, q, axes, method="lower", keepdims=keepdims))(
            values, axes, keepdims)
    return in_double(lambda x, axes, keepdims: quantile(x, axes, keepdims, q))(values, axes, keepdims)


verb("quantile", quantile_arguments, quantiles)


def norm(x, axes, keepdims, order):
    magnitudes = np.abs(x)
    if np.isinf(order):
        return (np.max if order > 0 else np.min)(magnitudes, axes, keepdims=keepdims)
    if order == 0:
        return np.sum(x != 0, axes, keepdims=keepdims).astype(np.float64)
    with np.errstate(all="ignore"):
        return np.sum(magnitudes**order, axes, keepdims=keepdims)**(1 / order)


def norm_arguments(drawn):
    x, axes, keepdims = real_reduced(drawn)
    limited = np.clip(x, -1e10, 1e10) if x.dtype == F32 else x
    return [limited, axes, keepdims, drawn.choice([2.0, 1.0, 0.0, float("inf"), -float("inf"), 3.0])]


def norms(x, axes, keepdims, order):
    if np.isinf(order):
        return in_double(norm)(x, axes, keepdims, order)
    return norm(x.astype(np.float64), of(axes), keepdims, order)


verb("norm", norm_arguments, norms, relative=2e-5, absolute=1e-12)


def shifted(x, axes):
    """x less the highest along the axes, which is the second result (0 where there is no finite one)."""
    x = x.astype(np.float64)
    with np.errstate(all="ignore"):
        highest = np.max(x, of(axes), keepdims=True, initial=-np.inf)
        highest = np.where(np.isfinite(highest), highest, 0)
        return x - highest, highest


def exponents(x, axes, keepdims):
    less, highest = shifted(x, axes)
    with np.errstate(all="ignore"):
        total = np.log(np.sum(np.exp(less), of(axes), keepdims=True)) + highest
    return total if keepdims else np.squeeze(total, of(axes))


verb("logsumexp", real_reduced, exponents, relative=1e-6, absolute=1e-6)


def along(drawn, dtypes=(F32,), special=0.02):
    x = drawn.array(drawn.dtype(dtypes), drawn.shape(), special if drawn.flag() else 0)
    return [x, drawn.axis(x.ndim)]


def checked_axis(x, axis):
    return range(x.ndim)[axis]


def log_softmax(x, axis):
    checked_axis(x, axis)
    less, _ = shifted(x, [axis])  # first: beside a large one, the sum's logarithm would round away
    with np.errstate(all="ignore"):
        return less - np.log(np.sum(np.exp(less), axis, keepdims=True))


def softmax(x, axis):
    with np.errstate(all="ignore"):
        return np.exp(log_softmax(x, axis))


def without_infinity(drawn):
    """Of +infinity no library gives numbers."""
    x, axis = along(drawn)
    return [np.where(x == np.inf, np.float32(9), x), axis]


verb("softmax", without_infinity, softmax, relative=1e-6, absolute=1e-6)
verb("log_softmax", without_infinity, log_softmax, relative=1e-6, absolute=1e-6)
