"""Shapes: joining, cutting, rearranging; creation."""

import numpy as np

from .rules import BOOL, F32, I32, Near, Refused, element, result_type
from .table import verb


def any_of(low=0, high=4):
    return lambda drawn: [drawn.any(low, high)]


def axis_of(x, axis, more=0):
    return range(x.ndim + more)[axis]


def same_rank(drawn, count, axis_free=True):
    """Arrays that differ along one axis only, which comes behind."""
    shape = drawn.shape(0 if drawn.chance(0.05) else 1, 3)
    axis = drawn.axis(len(shape), 0)
    dtype = drawn.dtype()
    parts = []
    for _ in range(count):
        lengths = list(shape)
        if shape and axis_free:
            lengths[axis] = drawn.length()
        if lengths and drawn.chance(0.02):
            lengths[drawn.randrange(len(lengths))] = 4
        parts.append(drawn.array(dtype if drawn.chance(0.8) else drawn.dtype(), lengths))
    return parts, axis if drawn.chance(0.97) else drawn.axis(len(shape), 1)


def met(parts):
    if not parts:
        raise Refused("nothing")
    dtype = parts[0].dtype
    for part in parts:
        dtype = result_type(dtype, part.dtype)
    return [part.astype(dtype) for part in parts]


verb("concatenate", lambda drawn: list(same_rank(drawn, drawn.randint(0 if drawn.chance(0.1) else 1, 4))),
     lambda parts, axis: np.concatenate(met(parts), axis))
verb("stack", lambda drawn: (lambda parts, _: [parts, drawn.axis(parts[0].ndim + 1)])(*same_rank(drawn, drawn.randint(1, 4), False)),
     lambda parts, axis: np.stack(met(parts), axis))
verb("hstack", lambda drawn: [same_rank(drawn, 2, False)[0]], lambda parts: np.hstack(met(parts)))
verb("vstack", lambda drawn: [same_rank(drawn, 2, False)[0]], lambda parts: np.vstack(met(parts)))


def split_arguments(drawn):
    x = drawn.any(1, 3)
    return [x, drawn.choice([1, 1, 2, 3, 5, 13, 0, -1]), drawn.axis(x.ndim)]


verb("split", split_arguments, lambda x, parts, axis: np.split(x, parts, axis_of(x, axis)))


def sizes_arguments(drawn):
    x = drawn.any(1, 3)
    axis = drawn.axis(x.ndim)
    left = x.shape[axis] if -x.ndim <= axis < x.ndim else 3
    sizes = []
    while left > 0 and len(sizes) < 4:
        sizes.append(drawn.randint(0, left))
        left -= sizes[-1]
    return [x, sizes + [left + (1 if drawn.chance(0.05) else 0)], axis]


def split_with_sizes(x, sizes, axis):
    if sum(sizes) != x.shape[axis]:
        raise Refused("sizes do not add up")
    return np.split(x, np.cumsum(sizes)[:-1], axis)


verb("split_with_sizes", sizes_arguments, split_with_sizes)


def with_axis(drawn):
    x = drawn.any(0, 4)
    return [x, drawn.axis(x.ndim)]


verb("unstack", with_axis, lambda x, axis: [np.take(x, i, axis_of(x, axis)) for i in range(x.shape[axis])])


def range_of_axes(drawn):
    x = drawn.any(0, 4)
    rank = max(x.ndim, 1)
    first, last = sorted(drawn.randrange(rank) for _ in range(2))
    return [x, drawn.choice([first, first - rank]), drawn.choice([last, last - rank])]


def flatten(x, first, last):
    x = np.atleast_1d(x)
    first, last = range(x.ndim)[first], range(x.ndim)[last]
    middle = int(np.prod(x.shape[first:last + 1], dtype=np.int64))
    return x.reshape(x.shape[:first] + (middle,) + x.shape[last + 1:])


verb("flatten", range_of_axes, flatten)
verb("ravel", any_of(), np.ravel)


def from_to(drawn):
    x = drawn.any(0, 4)
    start = drawn.axes(x.ndim)
    to = drawn.sample(range(x.ndim), min(len(start), x.ndim))
    return [x, start, to]


verb("moveaxis", from_to, np.moveaxis)
for name in ("swapaxes", "transpose"):
    verb(name, lambda drawn: with_axis(drawn) + [drawn.choice([0, -1, 1])],
         lambda x, a, b: np.swapaxes(x, a, b))


def turned(drawn):
    x = drawn.any(2 if drawn.chance(0.95) else 1, 4)
    return [x, drawn.randint(-5, 5), drawn.choice([[0, 1], [1, 0], [-1, -2], [0, -1], [0, 0]])]


def rot90(x, count, axes):
    if len({axis_of(x, axis) for axis in axes}) != 2:
        raise Refused("one axis")
    return np.rot90(x, count, axes)


verb("rot90", turned, rot90)
verb("repeat", lambda drawn: (lambda x, axis: [x, drawn.choice([0, 1, 2, 3, -1]), axis])(*with_axis(drawn)),
     lambda x, count, axis: np.repeat(x, count, axis_of(x, axis)) if count >= 0 else _refuse())


def _refuse():
    raise Refused("a negative count")




def counts(drawn):
    x = drawn.any(0, 3)
    return [x, [drawn.choice([0, 1, 1, 2, 3]) for _ in range(drawn.randint(0, 4))]]


verb("tile", counts, np.tile)


def broadcast_arguments(drawn):
    small, whole = drawn.broadcasting(2)
    try:
        whole = list(np.broadcast_shapes(tuple(small), tuple(whole)))
    except ValueError:
        pass
    return [drawn.array(drawn.dtype(), small), whole]


for name in ("broadcast_to", "expand"):
    verb(name, broadcast_arguments, np.broadcast_to)
verb("broadcast_tensors", lambda drawn: [[drawn.array(drawn.dtype(), s) for s in drawn.broadcasting(drawn.randint(1, 3))]],
     lambda parts: list(np.broadcast_arrays(*parts)))
verb("broadcast_shapes", lambda drawn: drawn.broadcasting(2, 0.2), lambda a, b: list(np.broadcast_shapes(tuple(a), tuple(b))))
verb("atleast_1d", any_of(), np.atleast_1d)
verb("atleast_2d", any_of(), np.atleast_2d)
verb("atleast_3d", any_of(), np.atleast_3d)


def reshaped(drawn):
    x = drawn.any()
    factors = [n for n in x.shape for n in ((n,) if n < 4 else (n,))]
    drawn.shuffle(factors)
    while len(factors) > 1 and drawn.flag():
        factors[:2] = [factors[0] * factors[1]]
    factors += [1] * drawn.randint(0, 2)
    if factors and drawn.chance(0.5):
        factors[drawn.randrange(len(factors))] = -1
    if drawn.chance(0.05):
        factors.append(drawn.choice([2, -1]))
    return [x, factors]


verb("reshape", reshaped, np.reshape)


def permuted(drawn):
    x = drawn.any()
    axes = drawn.sample(range(x.ndim), x.ndim)
    if axes and drawn.chance(0.05):
        axes[0] = axes[-1]
    return [x, [a - x.ndim if drawn.flag() else a for a in axes]]


verb("permute", permuted, lambda x, axes: np.transpose(x, axes) if len(axes) == x.ndim else np.reshape(x, -2))


def squeezed(drawn):
    x = drawn.array(drawn.dtype(), [drawn.choice([1, 1, 3, 0]) for _ in range(drawn.randint(0, 4))])
    axes = [a for a in range(x.ndim) if x.shape[a] == 1 and drawn.flag()]
    return [x, axes + [drawn.axis(x.ndim, 0.2)] if drawn.chance(0.1) else axes]


verb("squeeze", squeezed, lambda x, axes: np.squeeze(x, tuple(axes) if axes else None))
verb("unsqueeze", lambda drawn: (lambda x: [x, drawn.axis(x.ndim + 1)])(drawn.any()), np.expand_dims)


def flip_arguments(drawn):
    x = drawn.any()
    return [x, drawn.axes(x.ndim)]


verb("flip", flip_arguments, lambda x, axes: np.flip(x, tuple(axes) if axes else None))


def around(drawn, high=4, lengths=(0, 0, 1, 2, 3)):
    x = drawn.array(drawn.dtype(), drawn.shape(0, high, (0, 1, 2, 3, 5)))
    pairs = [[drawn.choice(lengths), drawn.choice(lengths)] for _ in x.shape]
    if drawn.chance(0.05):
        pairs.append([0, 0])
    if pairs and drawn.chance(0.05):
        pairs[0][1] = -1
    return [x, pairs]


def pad(x, pairs, value):
    if len(pairs) != x.ndim:
        raise Refused("another rank")
    fill = element(value, x.dtype)
    return np.pad(x, pairs, constant_values=fill) if x.ndim else x


verb("pad", lambda drawn: around(drawn) + [drawn.choice([0.0, 0.0, 1.0, 2.5])], pad)


def pad_mode(x, pairs, mode, value):
    if mode == "constant":
        return pad(x, pairs, value)
    if len(pairs) != x.ndim or any(n < 0 for pair in pairs for n in pair):
        raise Refused("another rank, or a negative count")
    if any(n == 0 and sum(pair) for n, pair in zip(x.shape, pairs)):
        raise Refused("nothing to repeat")
    return np.pad(x, pairs, mode) if x.ndim else x


verb("pad_mode", lambda drawn: around(drawn, 3, (0, 1, 2, 7)) + [drawn.choice(["constant", "reflect", "edge", "wrap"]), 1.0],
     pad_mode)


def crop_arguments(drawn):
    x = drawn.any()
    pairs = [sorted(drawn.randint(0, n) for _ in range(2)) for n in x.shape]
    if pairs and drawn.chance(0.05):
        pairs[0] = drawn.choice([[0, x.shape[0] + 1], [1, 0], [-1, 0]])
    return [x, pairs]


def crop(x, pairs):
    if any(not 0 <= a <= b <= n for (a, b), n in zip(pairs, x.shape)):
        raise Refused("outside")
    return x[tuple(slice(a, b) for a, b in pairs)]


verb("crop", crop_arguments, crop)


def slice_arguments(drawn):
    x = drawn.any(1)
    axis = drawn.axis(x.ndim)
    n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    step = drawn.choice([1, 1, 2, 3, -1, -2, 0])
    stop = drawn.choice([None, drawn.randint(-n, n)])
    return [x, axis, drawn.randint(-n, n), stop, step]


def sliced(x, axis, start, stop, step):
    return np.moveaxis(np.moveaxis(x, axis, 0)[start:stop:step], 0, axis)


verb("slice", slice_arguments, sliced)


def astype(x, dtype):
    if dtype == BOOL:
        return x != 0
    if x.dtype != F32 or dtype == F32:
        return x.astype(dtype)
    low, high = (-(2.0**31), 2.0**31 - 1) if dtype == I32 else (0.0, 2.0**32 - 1)
    return np.trunc(np.clip(np.nan_to_num(x.astype(np.float64), nan=0, posinf=high, neginf=low), low, high)).astype(dtype)


verb("astype", lambda drawn: [drawn.any(), drawn.dtype()], astype)


def roll_arguments(drawn):
    x = drawn.any()
    if drawn.chance(0.2):
        return [x, [drawn.randint(-20, 20)], []]
    axes = drawn.axes(x.ndim)
    return [x, [drawn.randint(-20, 20) for _ in axes] + ([1] if drawn.chance(0.03) else []), axes]


def roll(x, shifts, axes):
    if not axes:
        if len(shifts) != 1:
            raise Refused("several shifts")
        return np.roll(x, shifts[0])
    return np.roll(x, shifts, axes)


verb("roll", roll_arguments, roll)


def windows_arguments(drawn):
    x = drawn.array(drawn.dtype(), drawn.shape(1, 3, (1, 2, 3, 5, 13)))
    axes = drawn.sample(range(x.ndim), drawn.randint(1, x.ndim))
    sizes = [drawn.randint(1, x.shape[a]) for a in axes]
    steps = [drawn.randint(1, 3) for _ in axes]
    return [x, axes, sizes, steps, [1 for _ in axes]]


def windows(x, axes, sizes, steps, dilations):
    view = np.lib.stride_tricks.sliding_window_view(x, sizes, axes)
    cut = [slice(None)] * view.ndim
    for axis, step in zip(axes, steps):
        cut[axis] = slice(None, None, step)
    return view[tuple(cut)]


verb("windows", windows_arguments, windows)


# ---- parts of matrices


def matrix(drawn):
    return [drawn.any(1 if drawn.chance(0.05) else 2, 4), drawn.randint(-4, 4)]


def of_matrices(function):
    def reference(x, k):
        if x.ndim < 2:
            raise Refused("no matrix")
        return function(x, k)

    return reference


verb("tril", matrix, of_matrices(np.tril))
verb("triu", matrix, of_matrices(np.triu))
verb("diag", lambda drawn: [drawn.any(0 if drawn.chance(0.05) else 1, 2), drawn.randint(-4, 4)], np.diag)


def diagonal_arguments(drawn):
    x = drawn.any(2, 4)
    first, second = drawn.sample(range(x.ndim), 2) if drawn.chance(0.95) else [0, 0]
    return [x, drawn.randint(-4, 4), first, second - x.ndim]


verb("diagonal", diagonal_arguments, np.diagonal)


# ---- creation


def sized(drawn):
    return [drawn.shape(0, 4) if drawn.chance(0.95) else [2, -1], drawn.dtype()]


def filled(shape, value, dtype):
    return np.full(shape, element(value, dtype))


verb("zeros", sized, np.zeros)
verb("ones", sized, np.ones)
verb("full", lambda drawn: (lambda shape, dtype: [shape, drawn.number(), dtype])(*sized(drawn)), filled)
verb("zeros_like", any_of(), np.zeros_like)
verb("ones_like", any_of(), np.ones_like)
verb("full_like", lambda drawn: [drawn.any(), drawn.number()], lambda x, value: filled(x.shape, value, x.dtype))
verb("eye", lambda drawn: [drawn.randint(0, 6) if drawn.chance(0.95) else -1, drawn.randint(-1, 6), drawn.dtype()],
     lambda n, m, dtype: np.eye(n, None if m == -1 else m, dtype=dtype))
verb("tri", lambda drawn: [drawn.randint(0, 6), drawn.randint(-1, 6), drawn.randint(-4, 4), drawn.dtype()],
     lambda n, m, k, dtype: np.tri(n, None if m == -1 else m, k, dtype))


def arange_arguments(drawn):
    whole = drawn.flag()
    ends = [float(drawn.randint(-9, 30)) if whole else drawn.uniform(-9, 30) for _ in range(2)]
    step = drawn.choice([1.0, 2.0, -1.0, 0.0] if whole else [0.25, 1.0, -0.5, 1.5])
    return ends + [step, drawn.dtype((F32, I32) if whole else (F32,))]


def arange(start, stop, step, dtype):
    if step == 0:
        raise Refused("no step")
    values = start + np.arange(max(0, int(np.ceil((stop - start) / step)))) * step
    return Near(values, 2.0**-22 * (abs(start) + abs(stop))) if dtype == F32 else values.astype(dtype)


verb("arange", arange_arguments, arange)


def ends(drawn):
    return [drawn.uniform(-9, 9), drawn.uniform(-9, 9), drawn.choice([0, 1, 2, 5, 13, 127, -1]), F32]


verb("linspace", ends, lambda start, stop, count, _: np.linspace(start, stop, count), ulp=1, absolute=1e-6)
verb("logspace", lambda drawn: (lambda a, b, n, f: [a, b, n, drawn.choice([10.0, 2.0]), f])(*ends(drawn)),
     lambda start, stop, count, base, _: np.logspace(start, stop, count, base=base), ulp=64)
verb("meshgrid", lambda drawn: [[drawn.any(1, 1) for _ in range(drawn.randint(1, 3))]],
     lambda parts: list(np.meshgrid(*parts, indexing="ij")))
