"""Order and counting."""

import numpy as np
import torch

from comparing.rules import EPS, F32, I32, Near, Refused, meet
from numpy_cases.order import bincount_arguments, histogram_arguments, rows, searchsorted_arguments, topk_arguments

from .table import verb
from .tensors import array, double, exact, kept, same_kind


def numbers(value):
    """Without NaN, which PyTorch takes for the largest number, or for equal to none."""
    if isinstance(value, np.ndarray):
        return np.nan_to_num(value, nan=0.0, posinf=np.inf, neginf=-np.inf) if value.dtype == F32 else value
    return list(map(numbers, value)) if isinstance(value, list) else value


def of_numbers(arguments):
    return lambda drawn: numbers(arguments(drawn))


def ordered(x, axis, descending):
    return torch.sort(x, dim=range(x.dim())[axis], descending=descending, stable=True)


verb("sort", of_numbers(lambda drawn: [*rows(drawn), drawn.flag()]),
     kept(lambda *x: ordered(*x).values))
verb("argsort", of_numbers(lambda drawn: [*rows(drawn), drawn.flag()]),
     lambda x, *more: array(ordered(same_kind(x), *more).indices, I32))


def topk(x, k, axis, largest):
    """PyTorch's own gives any of equals, so the places are those of its stable sort."""
    axis = range(x.ndim)[axis]
    values = torch.topk(exact(x), k, axis, largest).values
    order = torch.sort(same_kind(x), dim=axis, descending=largest, stable=True).indices.narrow(axis, 0, k)
    return [values.numpy().astype(x.dtype), order.numpy().astype(np.int32)]


verb("topk", of_numbers(topk_arguments), topk)


def searchsorted(keys, values, right):
    keys, values = meet(keys, values)
    return array(torch.searchsorted(exact(keys), exact(values), right=right), I32)


def bucketize(keys, values, right):
    keys, values = meet(keys, values)
    return array(torch.bucketize(exact(values), exact(keys), right=right), I32)


def keys_and_values(drawn):
    keys, values, right = numbers(searchsorted_arguments(drawn))
    return [np.sort(keys), values, right]


def one_row(drawn):
    keys, values, right = keys_and_values(drawn)
    return [np.sort(keys.ravel()), values, right]


verb("searchsorted", keys_and_values, searchsorted)
verb("searchsorted", one_row, bucketize, line="searchsorted as bucketize")


def bincount(x, weights, minlength):
    x = same_kind(x)
    if weights is None:
        return array(torch.bincount(x, minlength=minlength), I32)
    total, magnitude = (torch.bincount(x, double(one), minlength) for one in (weights, np.abs(weights)))
    return Near(total.numpy(), len(x) * EPS * magnitude.numpy())


verb("bincount", bincount_arguments, bincount)


def histogram(x, bins, low, high):
    if not low < high:
        raise Refused("no range")
    counts, edges = torch.histogram(double(x[np.isfinite(x)]), bins, range=(low, high))
    return [counts.numpy().astype(np.int32), Near(edges.numpy(), 1e-14)]


verb("histogram", histogram_arguments, histogram)


def unique_all(x):
    values, inverse, counts = torch.unique(same_kind(x), sorted=True, return_inverse=True, return_counts=True)
    first = torch.full((len(values),), x.size).scatter_reduce(0, inverse.ravel(), torch.arange(x.size), "amin")
    return [array(values, x.dtype)] + array([first, inverse, counts], I32)


def unique(**wanted):
    def reference(x):
        if not wanted:
            return array(torch.unique(same_kind(x)), x.dtype)
        values, more = torch.unique(same_kind(x), **wanted)
        return [array(values, x.dtype), array(more, I32)]

    return reference


for name, reference in [("unique_all", unique_all), ("unique_counts", unique(return_counts=True)),
                        ("unique_inverse", unique(return_inverse=True)), ("unique_values", unique())]:
    verb(name, of_numbers(lambda drawn: [drawn.any(0, 3)]), reference)
