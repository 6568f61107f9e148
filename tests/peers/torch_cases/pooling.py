"""Pools, and channels as places."""

import numpy as np
import torch
from torch.nn import functional

from comparing.rules import BOOL, F32, I32, Refused

from .table import verb
from .tensors import kept, real


def pictures(drawn, dtype):
    """(n, channels, spatial...), now and then without n."""
    axes = drawn.randint(1, 3)
    spatial = [drawn.choice([1, 2, 3, 5, 6, 7] if axes == 3 else [1, 2, 3, 5, 8, 13]) for _ in range(axes)]
    batch = [] if drawn.chance(0.2) else [drawn.choice([0, 1, 2, 3])]
    return drawn.array(dtype, batch + [drawn.choice([1, 2, 3])] + spatial), axes, not batch


def numbers(drawn, axes, choices, each):
    """One for all axes, or one for each."""
    if each or drawn.flag():
        return [drawn.choice(choices) for _ in range(axes)]
    return drawn.choice(choices)


def options(drawn, axes, window, dilates=True):
    """Padding up to half of the window, as PyTorch takes it; now and then more, or nothing of the kind."""
    whole = window if isinstance(window, list) else [window] * axes
    pads = [drawn.randint(0, max(size, 0) // 2) for size in whole]
    if drawn.chance(0.03):
        pads[0] = drawn.choice([-1, 40])
    stride = [] if drawn.chance(0.3) else numbers(drawn, axes, [1, 2, 3], False)
    if drawn.chance(0.03):
        stride = drawn.choice([0, [1] * (axes + 1)])
    dilation = numbers(drawn, axes, [1, 1, 2], False) if dilates else 1
    return [stride, [[pad, pad] for pad in pads], dilation, drawn.flag(), drawn.flag()]


def pool_arguments(dtypes, dilates=True):
    def arguments(drawn):
        x, axes, each = pictures(drawn, drawn.dtype(dtypes))
        window = numbers(drawn, axes, [1, 2, 2, 3, 4], each)
        if drawn.chance(0.03):
            window = drawn.choice([0, 20])
        return [x, window, options(drawn, axes, window, dilates)]

    return arguments


def taken(x, window, options):
    """Numbers for each spatial axis, and x with n. Refuses what PyTorch sees only where there is a window."""
    stride, pads, dilation, ceil_mode, count = options
    axes = len(window) if isinstance(window, list) else x.dim() - 2
    each = [[value] * axes if isinstance(value, int) else value
            for value in (window, window if stride == [] else stride, dilation)]
    if not 1 <= axes <= 3 or x.dim() - axes not in (1, 2) or any(len(one) != axes or min(one) < 1 for one in each):
        raise Refused("numbers for other axes, or below 1")
    pads = [pad for pad, _ in pads]
    if any(pad < 0 for pad in pads):
        raise Refused("negative padding")
    window, stride, dilation = each
    for n, size, step, apart, pad in zip(x.shape[-axes:], window, stride, dilation, pads):
        if n + 2 * pad - (size - 1) * apart - 1 + (step - 1 if ceil_mode else 0) < 0:
            raise Refused("a window that does not fit")
    return x, axes, window, stride, pads, dilation, ceil_mode, count


def without_batch(function):
    """PyTorch refuses a batch of none, or pools it: a batch of one with the same result but for n."""

    def reference(x, *more):
        if x.dim() == 0 or x.shape[0] != 0:
            return function(x, *more)
        results = function(torch.zeros((1, *x.shape[1:]), dtype=x.dtype), *more)
        return tuple(y[:0] for y in results) if isinstance(results, tuple) else results[:0]

    return reference


def require_elements(axes, x, window, stride, pads, dilation, ceil_mode):
    """Each window has an element."""
    for n, size, step, apart, pad in zip(x.shape[-axes:], window, stride, dilation, pads):
        start = 0
        while start + (size - 1) * apart < n + 2 * pad + (step - 1 if ceil_mode else 0):
            places = range(start - pad, start - pad + size * apart, apart)
            if not any(0 <= place < n for place in places) and (not ceil_mode or start < n + pad):
                raise Refused("a window of padding")
            start += step


def max_pool(x, window, options):
    x, axes, window, stride, pads, dilation, ceil_mode, _ = taken(x, window, options)
    require_elements(axes, x, window, stride, pads, dilation, ceil_mode)
    pool = getattr(functional, f"max_pool{axes}d")
    values, places = pool(x.double(), window, stride, pads, dilation, ceil_mode, return_indices=True)
    return values.to(x.dtype), places


def first_of_max_pool(x, window, options):
    return max_pool(x, window, options)[0]


def elements(drawn):
    """Without NaN, of which PyTorch gives the last one's place."""
    x, *more = pool_arguments((F32, I32))(drawn)
    return [np.nan_to_num(x, nan=1.0, posinf=np.inf, neginf=-np.inf) if x.dtype == F32 else x, *more]


def with_places(x, window, options):
    values, places = kept(without_batch(max_pool))(x, window, options)
    return [values, places.astype(np.int32)]


verb("max_pool", pool_arguments((F32, I32, BOOL)), kept(without_batch(first_of_max_pool)), times=2)
verb("max_pool_with_indices", elements, with_places, times=2)


def avg_pool(x, window, options):
    x, axes, window, stride, pads, dilation, ceil_mode, count = taken(x, window, options)
    if not count:
        require_elements(axes, x, window, stride, pads, dilation, ceil_mode)
    return getattr(functional, f"avg_pool{axes}d")(x, window, stride, pads, ceil_mode, count)


def modest(drawn):
    """Sums of which have few terms that cancel. PyTorch takes padding up to half of the window, and of three axes no
    window longer than the axis."""
    x, window, more = pool_arguments((F32, I32), dilates=False)(drawn)
    axes = len(window) if isinstance(window, list) else x.ndim - 2
    if axes == 3:
        window = [min(size, n) for size, n in zip(window if isinstance(window, list) else [window] * 3, x.shape[-3:])]
    sizes = window if isinstance(window, list) else [window] * len(more[1])
    more[1] = [[min(pad, max(size, 0) // 2)] * 2 for (pad, _), size in zip(more[1], sizes)]
    return [drawn.array(x.dtype, x.shape, special=0), window, more]


verb("avg_pool", modest, real(without_batch(avg_pool)), relative=2e-6, absolute=2e-6, times=2)


def lp_arguments(drawn):
    x, window, more = modest(drawn)
    axes = len(window) if isinstance(window, list) else x.ndim - 2
    stride = more[0]
    return [x, drawn.one_of([1.0, 2.0, 4.0], [0.0, -1.0]), window, [stride, [[0, 0]] * axes, 1, False, True]]


def lp_pool(x, p, window, options):
    x, axes, window, stride, *_ = taken(x, window, options)
    if p <= 0:
        raise Refused("no such power")
    if axes == 3:  # PyTorch 1.13 has none
        return (functional.avg_pool3d(x**p, window, stride) * np.prod(window))**(1 / p)
    if axes == 2:
        return functional.lp_pool2d(x, p, window, stride)
    return functional.lp_pool1d(x, p, window[0], stride[0])


verb("lp_pool", lp_arguments, real(without_batch(lp_pool)), relative=1e-5, absolute=1e-5)


# ---- adaptive


def adaptive_arguments(drawn):
    x, axes, each = pictures(drawn, drawn.dtype((F32, I32)))
    sizes = numbers(drawn, axes, [1, 1, 2, 3, 5, 7], each)
    if drawn.chance(0.05):
        sizes = drawn.choice([-1, [1, 1, 1, 1]])
    return [drawn.array(x.dtype, x.shape, special=0), sizes]


def adaptive(name):
    def reference(x, sizes):
        axes = len(sizes) if isinstance(sizes, list) else x.dim() - 2
        if not 1 <= axes <= 3 or x.dim() - axes not in (1, 2):
            raise Refused("numbers for other axes")
        sizes = [sizes] * axes if isinstance(sizes, int) else sizes
        if min(sizes) < 0:
            raise Refused("a negative size")
        y = getattr(functional, f"adaptive_{name}_pool{axes}d")(x.double(), sizes)
        return y.to(x.dtype) if name == "max" else y

    return without_batch(reference)


verb("adaptive_avg_pool", adaptive_arguments, real(adaptive("avg")), relative=2e-6, absolute=2e-6)
verb("adaptive_max_pool", adaptive_arguments, kept(adaptive("max")))


# ---- channels as places


def blocks(to_space):
    def arguments(drawn):
        block = drawn.choice([1, 2, 2, 3])
        shape = drawn.shape(0, 3, (0, 1, 2)) + [drawn.choice([1, 2, 3]) for _ in range(3)]
        if to_space:
            shape[-3] *= block * block
        else:
            shape[-2:] = [n * block for n in shape[-2:]]
        if drawn.chance(0.05):
            shape = drawn.choice([shape[-2:], shape[:-1] + [7], shape[:-3] + [7] + shape[-2:]])
        return [drawn.array(drawn.dtype(), shape), drawn.one_of([block], [0, -1])]

    return arguments


def pixel_shuffle(x, block):
    if x.dim() < 3 or block < 1 or x.shape[-3] % block**2:
        raise Refused("no such blocks")
    if x.numel() == 0:
        shape = [*x.shape[:-3], x.shape[-3] // block**2, x.shape[-2] * block, x.shape[-1] * block]
        return x.reshape(shape)
    return functional.pixel_shuffle(x, block)


def pixel_unshuffle(x, block):
    if x.dim() < 3 or block < 1 or x.shape[-2] % block or x.shape[-1] % block:
        raise Refused("no such blocks")
    if x.numel() == 0:
        return x.reshape([*x.shape[:-3], x.shape[-3] * block**2, x.shape[-2] // block, x.shape[-1] // block])
    return functional.pixel_unshuffle(x, block)


def moved(x, block, order):
    """Channels (row, column, channel) as (channel, row, column), or back."""
    count = x.shape[-3] // block**2
    shape = (block**2, count) if order == "to" else (count, block**2)
    return x.reshape(*x.shape[:-3], *shape, *x.shape[-2:]).transpose(-4, -3).reshape(x.shape)


def depth_to_space(x, block):
    if x.dim() < 3 or block < 1 or x.shape[-3] % block**2:
        raise Refused("no such blocks")
    return pixel_shuffle(moved(x, block, "to"), block)


def space_to_depth(x, block):
    return moved(pixel_unshuffle(x, block), block, "back")


verb("pixel_shuffle", blocks(True), kept(pixel_shuffle))
verb("pixel_unshuffle", blocks(False), kept(pixel_unshuffle))
verb("depth_to_space", blocks(True), kept(depth_to_space))
verb("space_to_depth", blocks(False), kept(space_to_depth))
