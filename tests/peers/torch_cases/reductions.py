"""Reductions, and softmax and its kin."""

import numpy as np
import torch

from comparing.rules import BOOL, EPS, F32, I32, Near, Refused, narrow, refuse, sum_error
from numpy_cases.reductions import (norm_arguments, real_reduced, reduced, with_correction, with_squares,
                                    without_infinity)

from .table import verb
from .tensors import double, exact, real, whole


def rows(x, axes):
    """The axes as one, behind the others; and the result's shape with the axes as 1."""
    named = [range(x.dim())[axis] for axis in axes] if axes else list(range(x.dim()))
    if len(set(named)) != len(named):
        raise Refused("an axis twice")
    others = [n for i, n in enumerate(x.shape) if i not in named]
    moved = x.movedim(named, list(range(x.dim() - len(named), x.dim()))) if named else x
    length = int(np.prod([x.shape[axis] for axis in named], dtype=np.int64))
    return moved.reshape(others + [length]), [1 if i in named else n for i, n in enumerate(x.shape)]


def over(function, convert=double, of_nothing=False):
    """`function` of rows gives a result, and a bound or None."""

    def reference(x, axes, keepdims, *more):
        values, kept = rows(convert(x), axes)
        if values.shape[-1] == 0 and not of_nothing:
            raise Refused("over nothing")
        if values.numel() == 0 and values.shape[-1] != 0:  # PyTorch's quantile cannot do nothing of something
            return np.zeros(kept if keepdims else values.shape[:-1], np.float64)
        result, bound = function(values, *more)
        shape = kept if keepdims else result.shape
        result = result.reshape(shape).numpy()
        return result if bound is None else Near(result, bound.reshape(shape).numpy())

    return reference


def finite(drawn):
    """Of an infinity PyTorch interpolates to NaN."""
    x, *more = real_reduced(drawn)
    return [np.where(np.isinf(x), x.dtype.type(3), x), *more]


def quantile(x, q):
    """Of rows, and its bound."""
    low, high = (torch.quantile(x, q, -1, interpolation=which).abs() for which in ("lower", "higher"))
    return torch.quantile(x, q, -1), EPS * torch.maximum(low, high)


def with_place(drawn):
    x, *more = finite(drawn)
    return [x, drawn.one_of([0.0, 1.0, 0.5, 0.25, 0.9], [-0.5, 1.5]), *more]


def mean_of(x):
    return torch.nanmean(x, -1), sum_error(x.shape[-1]) * torch.nanmean(x.abs(), -1)


def sum_of(x):
    return torch.nansum(x, -1), sum_error(x.shape[-1]) * torch.nansum(x.abs(), -1)


def of_floats(function, others):
    """Integers have no NaN."""
    return lambda x, *more: (function if x.dtype == F32 else others)(x, *more)


def wrapped(function):
    return lambda x, *more: narrow(over(function, whole, True)(x, *more).astype(np.int64),
                                   I32 if x.dtype == BOOL else x.dtype)


# The mean of two middle elements, also of integers, is rounded once, another interpolation within an ULP of the larger.
verb("median", finite, over(lambda x: (torch.quantile(x, 0.5, -1), None), exact))
verb("quantile", with_place, lambda x, q, axes, keepdims: over(lambda x: quantile(x, q))(
    x, axes, keepdims) if 0 <= q <= 1 else refuse("no place"))
verb("nanmean", real_reduced, over(mean_of))
verb("nansum", reduced, of_floats(over(sum_of, of_nothing=True), wrapped(lambda x: (x.sum(-1), None))))


def spread(x, correction):
    """The contract: 1e-5, and 1e-6 of the mean's square, which is divided as the squares are."""
    share = x.shape[-1] / max(x.shape[-1] - correction, 1e-9)
    y = torch.var(x, -1, correction=int(correction))
    return y, 1e-5 * y.abs() + 1e-6 * share * x.mean(-1).square()


def deviation(x, correction):
    share = (x.shape[-1] / max(x.shape[-1] - correction, 1e-9))**0.5
    y = torch.std(x, -1, correction=int(correction))
    return y, 1e-5 * y.abs() + 1e-3 * share * x.mean(-1).abs()


def whole_correction(arguments):
    """PyTorch's of 1.13 are integers."""
    return lambda drawn: (lambda *given: [*given[:-1], float(int(given[-1]))])(*arguments(drawn))


verb("var", whole_correction(with_correction), over(spread))
verb("stddev", whole_correction(with_squares), over(deviation), absolute=1e-18)  # whose square f32 rounds to 0


def norm(x, order):
    if x.shape[-1] == 0 and np.isinf(order):
        refuse("over nothing")
    return torch.linalg.vector_norm(x, order, -1), None


verb("norm", norm_arguments, over(norm, of_nothing=True), relative=2e-5, absolute=1e-12)
verb("logsumexp", real_reduced, over(lambda x: (torch.logsumexp(x, -1), None), of_nothing=True), relative=1e-6,
     absolute=1e-6)
verb("count_nonzero", reduced, lambda x, *more: over(lambda x: (torch.count_nonzero(x, -1), None), exact, True)(
    x, *more).astype(np.int32))


def along_axis(function):
    return real(lambda x, axis: function(x, range(x.dim())[axis]))


verb("softmax", without_infinity, along_axis(torch.softmax), relative=1e-6, absolute=1e-6)
verb("log_softmax", without_infinity, along_axis(torch.log_softmax), relative=1e-6, absolute=1e-6)


# ---- of matrices


def variables(drawn):
    return drawn.any(1, 2, special=0)


def covariance(x, correction):
    if x.shape[-1] == 0:
        raise Refused("no values")
    y = torch.cov(x, correction=int(correction)).reshape(list(x.shape[:1]) * 2 if x.dim() == 2 else [])
    deviations = y.reshape([len(x)] * 2 if x.dim() == 2 else [1, 1]).diagonal().sqrt()
    return Near(y.numpy(), 1e-5 * torch.outer(deviations, deviations).reshape(y.shape).numpy())


verb("cov", lambda drawn: [variables(drawn), drawn.choice([0.0, 1.0])],
     lambda x, correction: covariance(double(x), correction))
