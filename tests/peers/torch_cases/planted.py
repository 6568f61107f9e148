"""Mistakes that a comparison must find: what this side adds, PyTorch's tensors and errors (the others are
numpy_cases/planted.py's)."""

import numpy as np
import torch

from comparing.compare import Bounds, EXACT
from comparing.table import Verb

from .programs import with_doubt
from .steps.table import STEPS, Step
from .tensors import kept, near, real

X = np.asarray([[1.5, -2.25, np.nan], [0.0, 3.0, -7.5]], np.float32)
WHOLE = np.asarray([3, -7, 2**31 - 1], np.int32)


def refuses(*_):
    return torch.zeros(2) + torch.zeros(3)


def line(name, arguments, reference, bounds=EXACT):
    return Verb(name, lambda drawn: arguments, reference, bounds, False, 1)


def program(name, wrong):
    """Of a program of several steps, of which one is of another function."""
    rows = np.linspace(-1.5, 1.25, 12, dtype=np.float32).reshape(3, 4)
    steps = [["tanh", ["@0"], 2], ["matmul", ["@2", "@1"], 3], ["softmax", ["@3", 1], 4],
             ["max", ["@4", [0], False], 5]]
    right = STEPS[name]
    table = {**STEPS, name: Step(name, None, lambda *x: wrong(right.function, *x), 1)}
    return Verb("with_gradient", lambda drawn: ["program", [[rows, rows[::-1].T.copy()], steps, [3, 5]]],
                lambda *of: with_doubt(*of, table), EXACT, False, 1)


def slope(function, *x):
    """The same value with another derivative."""
    y = function(*x)
    return 1.001 * y - 0.001 * y.detach()


PLANTED = {
    "a value of a program": program("matmul", lambda f, *x: f(*x) * (1 + 1e-4)),
    "a derivative in a program": program("tanh", slope),
    "a derivative of one operand in a program": program("matmul", lambda f, a, b: slope(f, a, b.detach()) + (
        f(a.detach(), b) - f(a, b).detach())),
    "where a derivative goes": program("max", lambda f, x, *of: f(x.flip(0).detach() + x - x.detach(), *of)),
    "several ULP": line("mish", [X], real(lambda x: torch.nn.functional.mish(x) * (1 + 2e-6)), Bounds(ulp=8)),
    "a bound": line("softplus", [X], near(lambda x: torch.nn.functional.softplus(x) + 0.1, lambda y, x: 0 * x + 0.05)),
    "a number where NaN is": line("relu6", [X], real(lambda x: torch.nn.functional.relu6(torch.nan_to_num(x)))),
    "an integer": line("cummax", [WHOLE, 0, False, False], kept(lambda x, *_: torch.cummax(x, 0).values + 1)),
    "a dtype": line("relu6", [WHOLE], kept(torch.nn.functional.relu6)),
    "a place": line("topk", [X[1], 1, 0, True], kept(lambda x, *_: list(torch.topk(x, 1, largest=False)))),
    "no error": line("relu6", [X], refuses),
    "an error": line("huber_loss", [X, X, -1.0, "none"], real(lambda x, *_: x)),
    "an error of the reference's own": line("relu6", [X], lambda x: torch.no_such_name(x)),
}
