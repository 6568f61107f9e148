"""Past the ends of an axis, windows, turns, triangles: the same elements elsewhere."""

import numpy as np
import torch
from torch.nn import functional

from comparing.rules import Refused, refuse
from numpy_cases.borders import roll_arguments, windows_arguments
from numpy_cases.creation import diagonal_arguments, matrix
from numpy_cases.joining import with_axis
from numpy_cases.movement import broadcast_arguments, counts, flip_arguments, from_to, permuted, turned

from .table import verb
from .tensors import exact, kept


def padded(drawn):
    """As far as PyTorch pads: less than the axis's length mirrored, or once around."""
    mode = drawn.choice(["constant", "reflect", "edge", "wrap"])
    x = drawn.array(drawn.dtype(), [drawn.choice([1, 2, 3, 5, 13]) for _ in range(drawn.randint(1, 4))])
    most = [{"reflect": n - 1, "wrap": n}.get(mode, 7) for n in x.shape]
    pairs = [[drawn.randint(0, n), drawn.randint(0, n)] for n in most]
    return [x, pairs, mode, 1.0]


MODES = {"edge": "replicate", "wrap": "circular"}


def pad(x, pairs, mode, value):
    """Axis by axis, which PyTorch wants as the last of three."""
    y = exact(x)
    for axis, pair in enumerate(pairs):
        rows = y.movedim(axis, -1)
        shape = rows.shape[:-1]
        rows = rows.reshape(1, -1, rows.shape[-1])
        rows = functional.pad(rows, pair, value=value) if mode == "constant" else functional.pad(
            rows, pair, MODES.get(mode, mode))
        y = rows.reshape(*shape, -1).movedim(-1, axis)
    return y.numpy().astype(x.dtype)


verb("pad_mode", padded, pad)


def windows(x, axes, sizes, steps, dilations):
    axes = [range(x.dim())[axis] for axis in axes]
    for axis, size, step, dilation in zip(axes, sizes, steps, dilations):
        if min(size, step, dilation) < 1:
            raise Refused("no window")
        x = x.unfold(axis, (size - 1) * dilation + 1, step)[..., ::dilation]
    return x


def any_windows(drawn):
    """Now and then longer than the axis, or of nothing."""
    x, axes, sizes, *more = windows_arguments(drawn)
    if drawn.chance(0.05):
        sizes[0] = drawn.choice([0, x.shape[axes[0]] + 1])
    return [x, axes, sizes, *more]


verb("windows", any_windows, kept(windows))


def columns(drawn):
    """Of pictures."""
    x = drawn.array(drawn.dtype(), [drawn.choice([0, 1, 2, 3]), drawn.choice([1, 3])] +
                    [drawn.choice([5, 7, 13]) for _ in range(2)])
    return [x, [2, 3]] + [[drawn.randint(1, most) for _ in range(2)] for most in (3, 3, 2)]


def unfold(x, _, sizes, steps, dilations):
    """Windows as columns, (n, channels * window, places); then as ours."""
    y = functional.unfold(exact(x), sizes, dilations, 0, steps) if x.size else torch.zeros(0)
    places = [(n - (size - 1) * dilation - 1) // step + 1
              for n, size, step, dilation in zip(x.shape[2:], sizes, steps, dilations)]
    y = y.reshape(*x.shape[:2], *sizes, *places)
    return y.permute(0, 1, 4, 5, 2, 3).numpy().astype(x.dtype)


verb("windows", columns, unfold, line="windows as unfold")


def roll(x, shifts, axes):
    """One shift is of all axes, several of one axis add up."""
    axes = [range(x.dim())[axis] for axis in axes]
    if len(shifts) != (len(axes) or 1) and not (axes and 1 in (len(shifts), len(axes))):
        raise Refused("as many shifts")
    if not axes:
        return torch.roll(x, shifts[0])
    pairs = np.broadcast_arrays(shifts, axes)
    return torch.roll(x, *(one.tolist() for one in pairs))


verb("roll", roll_arguments, kept(roll))
verb("rot90", turned, kept(torch.rot90))
for name in ("tril", "triu"):
    verb(name, matrix, kept(lambda x, k, name=name: getattr(torch, name)(x, k) if x.dim() > 1 else refuse("no matrix")))
verb("diagonal", diagonal_arguments, kept(torch.diagonal))


def diag(x, k):
    """PyTorch 1.13 refuses a diagonal that lies outside."""
    if x.dim() == 2 and not -x.shape[0] < k < x.shape[1]:
        return x.ravel()[:0]
    return torch.diag(x, k)


def flip(x, axes):
    axes = [range(x.dim())[axis] for axis in axes]  # a number has none
    return torch.flip(x, axes or list(range(x.dim())))


def repeat(x, count, axis):
    """PyTorch looks at the count where something is repeated."""
    if count < 0:
        raise Refused("a negative count")
    return torch.repeat_interleave(x, count, range(x.dim())[axis])


verb("diag", lambda drawn: [drawn.any(0 if drawn.chance(0.05) else 1, 2), drawn.randint(-4, 4)], kept(diag))
verb("flip", flip_arguments, kept(flip))
verb("tile", counts, kept(torch.tile))
verb("repeat", lambda drawn: (lambda x, axis: [x, drawn.choice([0, 1, 2, 3, -1]), axis])(*with_axis(drawn)),
     kept(repeat))
verb("moveaxis", from_to, kept(torch.movedim))
verb("permute", permuted, kept(torch.permute))
verb("broadcast_to", broadcast_arguments, kept(torch.broadcast_to))
