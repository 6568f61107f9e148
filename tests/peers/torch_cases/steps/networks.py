"""Convolutions, pools and others of pictures: (n, channels, spatial...)."""

import torch
from torch.nn import functional

from .program import Misfit
from .table import step


def picture(p, smallest=1):
    """A value of one to three spatial axes, all at least so long."""
    name = p.value(3, 5, lambda x: min(x.shape[2:]) >= smallest)
    return name, p.shape(name)


def convolved(p):
    name, (_, channels, *spatial) = picture(p)
    groups = p.drawn.choice([1, 1, 2, channels])
    if channels % groups:
        raise Misfit
    out, pads = groups * p.drawn.choice([1, 2, 3]), [p.drawn.choice([0, 1]) for _ in spatial]
    kernel = [p.drawn.choice([size for size in (1, 2, 3) if size <= n + 2 * pad]) for n, pad in zip(spatial, pads)]
    strides = [p.drawn.choice([1, 2]) for _ in spatial]
    return [name, p.array([out, channels // groups, *kernel], -0.7, 0.7),
            [strides, [[pad, pad] for pad in pads], 1, groups], p.array([out])]


def conv(x, w, of, bias):
    call = getattr(functional, f"conv{x.dim() - 2}d")
    return call(x, w, bias, of[0], [pad for pad, _ in of[1]], 1, of[3])


def spread(p):
    name, (_, channels, *spatial) = picture(p)
    kernel = [p.drawn.choice([1, 2, 3]) for _ in spatial]
    strides = [p.drawn.choice([1, 2]) for _ in spatial]
    out = p.drawn.choice([1, 2, 3])
    return [name, p.array([channels, out, *kernel], -0.7, 0.7), [strides, 0, 1, 1, 0], p.array([out])]


def conv_transpose(x, w, of, bias):
    return getattr(functional, f"conv_transpose{x.dim() - 2}d")(x, w, bias, of[0])


def pooled(p):
    name, (_, _, *spatial) = picture(p, 2)
    window = [p.drawn.choice([size for size in (2, 3) if size <= n]) for n in spatial]
    return [name, window, [[p.drawn.choice([1, 2]) for _ in spatial], 0, 1, False, True]]


def pool(kind):
    return lambda x, window, of: getattr(functional, f"{kind}_pool{len(window)}d")(x, window, of[0])


def grouped(p):
    name, (_, channels, *_) = picture(p, 2)
    groups = p.drawn.choice([n for n in (1, 2, 3, channels) if channels % n == 0])
    return [name, groups, p.array([channels]), p.array([channels]), 1e-3]


def by_channel(p):
    name, (_, channels, *_) = picture(p)
    return [name, p.array([channels]), p.array([channels], 0.5, 2), p.array([channels]), p.array([channels]), 1e-3]


def batch_norm(x, *more):
    """PyTorch's has no derivative by the mean and the variance."""
    *of_channels, eps = more
    mean, var, w, b = (one.reshape(-1, *[1] * (x.dim() - 2)) for one in of_channels)
    return (x - mean) * torch.rsqrt(var + eps) * w + b


def resized(p):
    name, (_, _, *spatial) = picture(p)
    return [name, [p.drawn.choice([1, 3, 4, 6]) for _ in spatial], ["linear", p.drawn.flag(), False, []]]


def interpolate(x, sizes, of):
    mode = ["linear", "bilinear", "trilinear"][len(sizes) - 1]
    return functional.interpolate(x, sizes, mode=mode, align_corners=of[1])


def shuffled(p):
    return [p.value(4, 4, lambda x: x.shape[1] % 4 == 0), 2]


step("conv", convolved, conv, 20)
step("conv_transpose", spread, conv_transpose, 8)
step("max_pool", pooled, pool("max"), 8)
step("avg_pool", pooled, pool("avg"), 6)
step("group_norm", grouped, functional.group_norm, 6)
step("batch_norm", by_channel, batch_norm, 4)
step("interpolate", resized, interpolate, 4)
step("pixel_shuffle", shuffled, torch.pixel_shuffle)
