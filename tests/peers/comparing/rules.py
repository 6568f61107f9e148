"""The library's own rules where NumPy has others: which dtype operands meet in, and what is computed in double.

A reference is a function of what the driver is called with: arrays of f32, i32, u32 and booleans, numbers, lists. It
raises where the verb must throw. What it gives in f64 is rounded to f32 when it is compared.
"""

from functools import reduce

import numpy as np

F32, I32, U32, BOOL = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.uint32), np.dtype(bool)
EPS = 2.0**-23
NUMERIC, WHOLE, ANY = (F32, I32, U32), (I32, U32), (F32, I32, U32, BOOL)


class Refused(Exception):
    """The library's rules have no result here."""


def refuse(reason):
    """Raises, where a statement cannot stand."""
    raise Refused(reason)


class Near:
    """A result in double that may be missed by a bound for each element."""

    def __init__(self, value, bound):
        self.value, self.bound = np.asarray(value, np.float64), bound


def sum_error(count):
    """Of a sum, as a share of the sum of the absolute values."""
    return (128 + np.log2(max(count, 1))) * EPS


def result_type(a, b):
    if a == b or b == BOOL:
        return a
    if a == BOOL:
        return b
    if F32 in (a, b):
        return F32
    raise Refused("i32 and u32 meet in nothing")


def is_number(x):
    return isinstance(x, (bool, int, float))


def beside(number, dtype):
    """The dtype of a number beside a tensor."""
    if isinstance(number, float):
        return F32
    return I32 if dtype == BOOL and not isinstance(number, bool) else dtype


def fits(number, dtype):
    if dtype == F32:
        finite = isinstance(number, float) and not np.isfinite(number)
        if finite:
            return True
        if isinstance(number, float):
            return bool(abs(number) < 3.4028235677973366e38)
        return int(np.float32(number)) == number
    if dtype == BOOL:
        return number in (0, 1)
    low, high = (-(2**31), 2**31 - 1) if dtype == I32 else (0, 2**32 - 1)
    return np.isfinite(number) and number == int(number) and low <= number <= high


def element(number, dtype):
    if not fits(number, dtype):
        raise Refused(f"{number} does not fit {dtype}")
    return np.asarray(number).astype(dtype)


def common(*operands):
    """The dtype that tensors and numbers meet in."""
    dtype = reduce(result_type, [x.dtype for x in operands if not is_number(x)])
    return reduce(lambda met, x: result_type(met, beside(x, dtype)) if is_number(x) else met, operands, dtype)


def meet(*operands):
    dtype = common(*operands)
    with np.errstate(all="ignore"):
        return [element(x, dtype) if is_number(x) else x.astype(dtype) for x in operands]


def wide(x):
    """As f64, or i64: what exact arithmetic and sums need."""
    return x.astype(np.float64 if x.dtype == F32 else np.int64)


def narrow(x, dtype):
    """Integers wrap, floats stay in double."""
    return x if dtype == F32 else np.asarray(x).astype(dtype)


def arithmetic(function, boolean=None):
    """In the dtype that the operands meet in; of booleans `boolean`, or nothing."""

    def reference(*operands):
        met = meet(*operands)
        dtype = met[0].dtype
        if dtype == BOOL:
            if boolean is None:
                raise Refused("arithmetic of booleans")
            return boolean(*met)
        return narrow(function(*map(wide, met)), dtype)

    return reference


def real(function):
    """Of real numbers: integers and booleans count as f32, the result is f32."""

    def reference(*operands):
        dtype = result_type(common(*operands), F32)
        return function(*[np.float64(element(x, F32)) if is_number(x) else x.astype(dtype).astype(np.float64)
                          for x in operands])

    return reference


def truth(function):
    """Of the operands in the dtype that they meet in, to boolean."""
    return lambda *operands: function(*meet(*operands))


def only(dtypes, function):
    """`function`, of these dtypes of all operands that are arrays."""

    def reference(*arguments):
        if any(x.dtype not in dtypes for x in arguments if isinstance(x, np.ndarray)):
            raise Refused("a dtype that is not taken")
        return function(*arguments)

    return reference
