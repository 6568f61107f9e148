"""What cases are drawn from. Every case has a generator of its own, named by the run's seed, the verb and a number."""

import random

import numpy as np

from .rules import ANY, BOOL, F32, I32, U32
from .wire import Held, like

LENGTHS = (0, 1, 2, 3, 5, 13)
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 3.0, np.inf, -np.inf, np.nan, 1e-30, -3e37, 16777217.0, 4e9, -5e9]
VIEWS = ["contiguous", "column_major", "permuted", "cropped", "flipped", "stepped", "backwards", "offset", "pending",
         "pending_permuted"]


class Drawn(random.Random):
    """A generator with what verbs take."""

    def chance(self, share):
        return self.random() < share

    def flag(self):
        return self.chance(0.5)

    def one_of(self, good, wrong, share=0.04):
        """Mostly one of the good."""
        return self.choice(wrong if self.chance(share) else good)

    # ---- shapes and axes

    def length(self, lengths=LENGTHS):
        return self.choice(lengths if self.chance(0.9) else (0, 1, 127))

    def shape(self, low=0, high=4, lengths=LENGTHS):
        rank = self.randint(low, high)
        shape = [self.length(lengths) for _ in range(rank)]
        while np.prod(shape) > 20000:
            shape[shape.index(max(shape))] = 2
        return shape

    def axis(self, rank, wrong=0.04):
        """An axis, negative or not; now and then none that there is."""
        if self.chance(wrong) or rank == 0:
            return self.choice([rank, -rank - 1, 9])
        return self.randrange(-rank, rank)

    def axes(self, rank, wrong=0.04):
        """Some axes; none means all."""
        if rank == 0 or self.chance(0.3):
            return [] if not self.chance(wrong) else [self.axis(rank, 1)]
        axes = [axis - rank if self.flag() else axis for axis in self.sample(range(rank), self.randint(1, rank))]
        return axes + [self.choice([axes[0], rank])] if self.chance(wrong) else axes

    def broadcasting(self, count, wrong=0.04, high=4):
        """Shapes that broadcast together; now and then they do not."""
        whole = self.shape(0, high)
        shapes = []
        for _ in range(count):
            kept = whole[self.randint(0, len(whole)) if self.chance(0.3) else 0:]
            shapes.append([1 if self.chance(0.2) else n for n in kept])
        if self.chance(wrong) and shapes[-1]:
            shapes[-1][self.randrange(len(shapes[-1]))] = 7
        return shapes

    # ---- elements

    def dtype(self, dtypes=ANY):
        return self.choice(dtypes)

    def array(self, dtype, shape, special=0.1, scale=4.0):
        """Elements of every kind: ties, extremes and what is no number among them."""
        bits = np.random.Generator(np.random.PCG64(self.getrandbits(64)))
        if dtype == BOOL:
            return bits.random(shape) < self.choice([0.1, 0.5, 0.9])
        if dtype == F32:
            x = bits.standard_normal(shape) * scale
            if self.flag():
                x = np.where(bits.random(shape) < 0.5, np.rint(x), x)
            if special and self.chance(0.7):
                x = np.where(bits.random(shape) < special, bits.choice(SPECIAL, shape), x)
            return np.asarray(x, np.float32)
        low, high = (-(2**31), 2**31 - 1) if dtype == I32 else (0, 2**32 - 1)
        x = np.asarray(bits.integers(-5 if dtype == I32 else 0, 6, shape))
        if special and self.chance(0.5):
            x = np.where(bits.random(shape) < 0.3, bits.integers(low, high, shape, endpoint=True), x)
            x = np.where(bits.random(shape) < 0.1, bits.choice([low, high, low + 1], shape), x)
        return np.asarray(x).astype(dtype)

    def any(self, *shape_of, dtypes=ANY, **of):
        """An array of any of the dtypes, and of a drawn shape."""
        return self.array(self.dtype(dtypes), self.shape(*shape_of), **of)

    def real(self, shape, low=None, high=None, special=0.1):
        """f32, as a rule; low and high bound it where a function's arguments are."""
        x = self.array(self.dtype((I32, U32, BOOL)) if self.chance(0.15) else F32, shape, special)
        if x.dtype == BOOL:
            return x
        limits = np.finfo(x.dtype) if x.dtype == F32 else np.iinfo(x.dtype)
        with np.errstate(invalid="ignore"):
            x = x if low is None else np.where(x < low, np.asarray(max(low, limits.min), x.dtype), x)
            return x if high is None else np.where(x > high, np.asarray(min(high, limits.max), x.dtype), x)

    def number(self):
        return self.choice([0, 1, 2, -3, 7, 16777217, True, False, 0.5, -1.25, 2.0, float("inf"), 1e10])

    def places(self, shape, length, wrong=0.05):
        """Indices of an axis, i32."""
        if length == 0:
            shape = [0] + list(shape[1:]) if len(shape) and not self.chance(wrong) else shape
            return np.zeros(shape, np.int32)
        bits = np.random.Generator(np.random.PCG64(self.getrandbits(64)))
        x = np.asarray(bits.integers(-length, length, shape))
        if self.chance(wrong) and x.size:
            x.flat[self.randrange(x.size)] = self.choice([length, -length - 1, 2**31 - 1])
        return x.astype(np.int32)


def factors(x):
    """Numbers near 1 and -1 for those of f32 that are finite and not 0: no product of them passes f32 on the way."""
    if x.dtype != F32:
        return x
    return np.where(np.isfinite(x) & (x != 0), np.copysign(np.exp(np.tanh(x) / 10), x), x).astype(np.float32)


def as_arrays(value):
    """What NumPy makes of rank 0: scalars of its own as arrays, and f64 as f32."""
    if isinstance(value, (np.generic, np.ndarray)):
        return np.asarray(value, np.float32 if value.dtype == np.float64 else value.dtype)
    if isinstance(value, (list, tuple)):
        return like(value, map(as_arrays, value))
    return value


def hold(drawn, value, views=VIEWS):
    """The same value with each array in a drawn layout; half are contiguous."""
    if isinstance(value, np.ndarray):
        return Held(value, drawn.choice(views) if drawn.flag() else "contiguous")
    if isinstance(value, (list, tuple)):
        return like(value, (hold(drawn, one, views) for one in value))
    return value
