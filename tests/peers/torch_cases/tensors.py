"""Arguments as tensors, and results as arrays: f32 is computed in f64, integers in i64."""

import numpy as np
import torch

from comparing.rules import BOOL, F32, I32, Near


def exact(x):
    """Of any dtype, in f64."""
    return torch.from_numpy(np.ascontiguousarray(x, np.float64).reshape(x.shape))


def double(x):
    """As real-valued functions take it: integers round to f32."""
    return exact(x.astype(F32))


def whole(x):
    """Integers and booleans, as i64."""
    return torch.from_numpy(np.ascontiguousarray(x, np.int64).reshape(x.shape))


def same_kind(x):
    if x.dtype == BOOL:
        return torch.from_numpy(np.ascontiguousarray(x).reshape(x.shape))
    return double(x) if x.dtype == F32 else whole(x)


def given(convert):
    """Arguments: arrays as tensors, also those in lists; others as they are."""

    def one(value):
        if isinstance(value, np.ndarray):
            return convert(value)
        return list(map(one, value)) if isinstance(value, (list, tuple)) else value

    return one


def array(result, dtype):
    """A result as an array: integers of `dtype`, or i32."""
    if isinstance(result, (tuple, list)):
        return [array(one, dtype) for one in result]
    if not isinstance(result, torch.Tensor):
        return result
    x = result.detach().numpy()
    return x.astype(dtype if dtype is not None and dtype not in (F32, BOOL) else I32) if x.dtype == np.int64 else x


def real(function):
    """Of real numbers: integers and booleans count as f32, the result is of f64."""
    return lambda *arguments: array(function(*map(given(double), arguments)), None)


def kept(function):
    """Of elements of any kind, which integers of the result have from the first argument."""

    def reference(x, *arguments):
        first = x[0] if isinstance(x, list) else x
        return array(function(*map(given(same_kind), (x, *arguments))), first.dtype)

    return reference


def near(function, bound):
    """Within bound(the result, *arguments), all tensors of f64."""

    def reference(*arguments):
        arguments = list(map(given(double), arguments))
        value = function(*arguments)
        return Near(value.numpy(), bound(value, *arguments).numpy())

    return reference
