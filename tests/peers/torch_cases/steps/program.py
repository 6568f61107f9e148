"""A program as data: leaves, then steps: a verb's name, its arguments, of which "@3" names value 3, and, for readers,
the number of its result."""

import numpy as np
import torch

from comparing.rules import BOOL, F32
from comparing.wire import Steps

from ..tensors import exact, same_kind, whole

MOST_ELEMENTS = 1500
LARGEST = 30.0  # beyond that products of values soon overflow, and sums cancel


class Misfit(Exception):
    """No argument that a step could take."""


def taken(value, values=(), real=exact):
    """An argument as PyTorch takes it: arrays of f32 by `real`, a named value from `values`."""
    if isinstance(value, str) and value.startswith("@"):
        return values[int(value[1:])]
    if isinstance(value, (list, tuple)):
        return [taken(one, values, real) for one in value]
    if not isinstance(value, np.ndarray):
        return value
    return real(value) if value.dtype == F32 else same_kind(value) if value.dtype == BOOL else whole(value)


def results_of(step, arguments):
    """What a step gives, as a list."""
    results = step.function(*arguments)
    return list(results) if isinstance(results, (tuple, list)) else [results]


class Program:
    """What steps draw their arguments from. The values are computed as it grows."""

    def __init__(self, drawn):
        self.drawn, self.leaves, self.steps, self.values, self.used = drawn, [], Steps(), [], set()

    def add_leaf(self, shape):
        self.leaves.append(self.array(shape))
        self.values.append(exact(self.leaves[-1]))

    def add(self, step):
        """Whether the step has results that the next ones can be made of; without, it is not there."""
        try:
            arguments = step.arguments(self)
        except Misfit:
            return False
        results = results_of(step, taken(arguments, self.values))
        if not all(self.is_tame(y) for y in results):
            return False
        self.steps.append([step.name, arguments, len(self.values)])
        self.used |= names(arguments)
        self.values += results
        return True

    @staticmethod
    def is_tame(y):
        if y.dtype != torch.float64:
            return True
        return 0 < y.numel() <= MOST_ELEMENTS and bool(torch.isfinite(y).all()) and float(y.abs().max()) <= LARGEST

    def wanted(self):
        """The values that no step reads, and some that one does."""
        real = [i for i in range(len(self.leaves), len(self.values)) if self.values[i].dtype == torch.float64]
        return [i for i in real if i not in self.used or self.drawn.chance(0.15)]

    # ---- arguments

    def value(self, low=0, high=4, where=lambda x: True):
        """The name of a value of f64, of such rank, mostly a late one."""
        fit = [i for i, x in enumerate(self.values)
               if x.dtype == torch.float64 and low <= x.dim() <= high and where(x)]
        if not fit:
            raise Misfit
        return f"@{self.drawn.choice(fit[-3:] if self.drawn.chance(0.75) else fit)}"

    def of(self, name):
        return self.values[int(name[1:])]

    def shape(self, name):
        return list(self.of(name).shape)

    def array(self, shape, low=-1.5, high=1.5):
        bits = np.random.Generator(np.random.PCG64(self.drawn.getrandbits(64)))
        return np.asarray(bits.uniform(low, high, shape), F32)

    def beside(self, name, low=-1.5, high=1.5):
        """What broadcasts with a value: another one, or an array, which lies in [low, high]."""
        shape = self.shape(name)
        if self.drawn.chance(0.6):
            try:
                return self.value(0, len(shape), lambda x: fits(x, shape) and low <= x.min() and x.max() <= high)
            except Misfit:
                pass
        shape = shape[self.drawn.randint(0, len(shape)) if self.drawn.chance(0.3) else 0:]
        return self.array([1 if self.drawn.chance(0.2) else n for n in shape], low, high)

    def axis(self, name):
        rank = len(self.shape(name))
        return self.drawn.randrange(-rank, rank)

    def axes(self, name):
        return sorted(self.drawn.sample(range(len(self.shape(name))), self.drawn.randint(1, len(self.shape(name)))))


def fits(x, shape):
    """Whether x broadcasts to the shape."""
    return all(n in (1, m) for n, m in zip(x.shape, shape[len(shape) - x.dim():]))


def names(arguments):
    """The numbers of the values among arguments."""
    if isinstance(arguments, list):
        return set().union(*map(names, arguments)) if arguments else set()
    return {int(arguments[1:])} if isinstance(arguments, str) and arguments.startswith("@") else set()
