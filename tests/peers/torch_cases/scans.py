"""Scans."""

import numpy as np
import torch

from comparing.draw import factors
from comparing.rules import EPS, F32, Near, narrow, sum_error
from numpy_cases.reductions import along, checked_axis
from numpy_cases.scans import count, highest, lowest, scanned

from .table import verb
from .tensors import double, whole


def scan(function, identity, bound=None, result=lambda x: x.dtype):
    """Inclusive and from the front is PyTorch's; the others move, or turn around."""

    def turned(values, identity_of_x, exclusive, reverse):
        values = values.flip(0) if reverse else values
        if exclusive and len(values):
            values = torch.cat([torch.full_like(values[:1], identity_of_x), values[:-1]])
        y = function(values)
        return y.flip(0) if reverse else y

    def reference(x, axis, exclusive, reverse):
        axis = checked_axis(x, axis)
        values = (double(x) if x.dtype == F32 else whole(x)).movedim(axis, 0)
        first = identity(x) if callable(identity) else identity
        y = turned(values, float(first) if x.dtype == F32 else int(first), exclusive, reverse)
        if x.dtype != F32:
            return narrow(y.movedim(0, axis).numpy(), result(x))
        if bound is None:
            return y.movedim(0, axis).numpy()
        return Near(y.movedim(0, axis).numpy(), bound(y, values).nan_to_num(0, 0, 0).movedim(0, axis).numpy())

    return reference


verb("cummax", scanned, scan(lambda x: torch.cummax(x, 0).values, lowest))
verb("cummin", scanned, scan(lambda x: torch.cummin(x, 0).values, highest))
# Of sums: (128 + log2 n) eps of the absolute values, which a bound for all of a row is enough for; of products n eps.
verb("cumsum", scanned, scan(lambda x: torch.cumsum(x, 0), 0, lambda y, x: sum_error(len(x)) * (
    x.nan_to_num(0, 0, 0).abs().sum(0, keepdim=True) + 0 * y), count))
verb("cumprod", lambda drawn: (lambda x, *more: [factors(x), *more])(*scanned(drawn)),
     scan(lambda x: torch.cumprod(x, 0), 1, lambda y, x: len(x) * EPS * y.abs(), count))


def exponents(drawn):
    return along(drawn, (F32,)) + [drawn.chance(0.2), drawn.chance(0.2)]


# (128 + log2 n) eps, relative or absolute.
verb("logcumsumexp", exponents,
     scan(lambda x: torch.logcumsumexp(x, 0), -np.inf, lambda y, x: sum_error(len(x)) * y.abs().clamp(min=1)))
