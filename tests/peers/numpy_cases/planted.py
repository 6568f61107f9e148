"""Mistakes that a comparison must find: lines of a table whose references are wrong, each in another way."""

import numpy as np

from comparing.compare import Bounds, EXACT
from comparing.rules import F32, I32, Near, Refused
from comparing.table import Verb

X = np.asarray([[1.5, -2.25, np.nan], [0.0, 3.0, -7.5]], np.float32)


def one_ulp(x):
    y = np.abs(x)
    y[1, 1] = np.nextafter(y[1, 1], np.float32(9))
    return y


def nan_elsewhere(x):
    return np.abs(x)[::-1]


def refuses(*_):
    raise Refused("nothing is wrong here")


def line(name, arguments, reference, bounds=EXACT):
    return Verb(name, lambda drawn: arguments, reference, bounds, False, 1)


PLANTED = {
    "an ULP": line("abs", [X], one_ulp),
    "an ULP of several": line("exp", [X], lambda x: np.exp(x.astype(np.float64)) * (1 + 2e-6), Bounds(ulp=8)),
    "a bound": line("sum", [X, [1], False], lambda x, *_: Near([np.nan, -4.4], 0.05)),
    "another place": line("abs", [X], nan_elsewhere),
    "another sign": line("neg", [X], lambda x: x),
    "an integer": line("argmax", [X, 0, False], lambda x, *_: np.asarray([0, 1, 1], np.int32)),
    "a boolean": line("isnan", [X], lambda x: ~np.isnan(x)),
    "another dtype": line("argmax", [X, 0, False], lambda x, *_: np.asarray([0, 1, 0], np.uint32)),
    "another shape": line("ravel", [X], lambda x: x.reshape(1, 6)),
    "another number of results": line("split", [X, 3, 1], lambda x, *_: [x[:, :1], x[:, 1:2]]),
    "one of several results": line("split", [X, 3, 1], lambda x, *_: [x[:, :1], x[:, 1:2], x[:, 1:2]]),
    "a truth": line("array_equal", [X, X], lambda *_: True),
    "no error": line("ravel", [X], refuses),
    "an error": line("take", [X, np.asarray([5], I32), 1], lambda x, *_: x[:, :1]),
    "an error of the reference's own": line("astype", [X, F32], lambda x, _: x.no_such_name),
}
