"""Past the ends of an axis, and windows of its elements."""

import numpy as np

from comparing.rules import Refused, element

from .table import verb


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
    if mode != "wrap":
        return np.pad(x, pairs, mode) if x.ndim else x
    for axis, (before, after) in enumerate(pairs):  # np.pad repeats another part where it is longer than the axis
        places = np.arange(-before, x.shape[axis] + after)
        x = np.take(x, places % max(x.shape[axis], 1), axis)
    return x


MODES = ["constant", "reflect", "edge", "wrap"]
verb("pad_mode", lambda drawn: around(drawn, 3, (0, 1, 2, 7)) + [drawn.choice(MODES), 1.0], pad_mode)


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
    x = drawn.array(drawn.dtype(), [drawn.choice([1, 2, 3, 5, 13]) for _ in range(drawn.randint(1, 3))])
    axes = drawn.sample(range(x.ndim), drawn.randint(1, x.ndim))
    sizes = [drawn.randint(1, x.shape[a]) for a in axes]
    steps = [drawn.randint(1, 3) for _ in axes]
    dilations = [drawn.randint(1, 3 if (size - 1) * 3 < x.shape[axis] else 1) for axis, size in zip(axes, sizes)]
    return [x, axes, sizes, steps, dilations]


def windows(x, axes, sizes, steps, dilations):
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(sizes, dilations)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axes)
    cut = [slice(None)] * x.ndim + [slice(None, None, dilation) for dilation in dilations]
    for axis, step in zip(axes, steps):
        cut[axis] = slice(None, None, step)
    return view[tuple(cut)]


verb("windows", windows_arguments, windows)
