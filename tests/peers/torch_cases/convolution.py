"""Convolutions."""

import torch
from torch.nn import functional

from comparing.rules import EPS, F32, Refused

from .pooling import numbers
from .table import verb
from .tensors import near


def arguments(dtype):
    def draw(drawn):
        axes, groups = drawn.randint(1, 3), drawn.choice([1, 1, 2, 3])
        channels, each = drawn.choice([1, 2, 3]), drawn.choice([1, 2, 5])
        spatial = [drawn.choice([1, 2, 3, 5, 6] if axes == 3 else [1, 2, 3, 5, 8, 13]) for _ in range(axes)]
        batch = [] if drawn.chance(0.2) else [drawn.choice([0, 1, 2, 3])]
        x = drawn.array(dtype, batch + [channels * groups] + spatial, 0)
        if drawn.chance(0.03):
            channels += 1
        w = drawn.array(dtype, [each * groups, channels] + [drawn.choice([1, 2, 3, 4]) for _ in range(axes)], 0)
        pads = [[drawn.randint(0, 3), drawn.randint(0, 3)] for _ in range(axes)]
        bias = None if drawn.flag() else drawn.array(dtype, [each * groups + (1 if drawn.chance(0.03) else 0)], 0)
        return [x, w, [numbers(drawn, axes, [1, 1, 2, 3], False), pads, numbers(drawn, axes, [1, 1, 2], False), groups],
                bias]

    return draw


def conv(x, w, options, bias):
    stride, pads, dilation, groups = options
    axes = w.dim() - 2
    if bias is not None and bias.shape != w.shape[:1]:
        raise Refused("a bias of another length")
    padded = functional.pad(x, [side for pair in reversed(pads) for side in pair])
    empty = padded.dim() == w.dim() and padded.shape[0] == 0
    if empty:
        padded = torch.zeros((1, *padded.shape[1:]), dtype=padded.dtype)
    y = getattr(functional, f"conv{axes}d")(padded, w, bias, stride, 0, dilation, groups)
    return y[:0] if empty else y


def error(_, x, w, options, bias):
    terms = w[0].numel() + 1
    return max(terms, 4) * EPS * conv(abs(x), abs(w), options, None if bias is None else abs(bias))


verb("conv", arguments(F32), near(conv, error), times=2)


def transposed_arguments(dtype):
    def draw(drawn):
        axes, groups = drawn.randint(1, 3), drawn.choice([1, 1, 2, 3])
        channels, each = drawn.choice([1, 2, 3, 8]), drawn.choice([1, 2, 5])
        spatial = [drawn.choice([1, 2, 3, 4] if axes == 3 else [1, 2, 3, 5, 8]) for _ in range(axes)]
        batch = [] if drawn.chance(0.2) else [drawn.choice([0, 1, 2, 3])]
        x = drawn.array(dtype, batch + [channels * groups] + spatial, 0)
        if drawn.chance(0.03):
            channels += 1
        w = drawn.array(dtype, [channels * groups, each] + [drawn.choice([1, 2, 3, 4]) for _ in range(axes)], 0)
        pads = [drawn.choice([0, 0, 0, 1, 2]) for _ in range(axes)]
        bias = None if drawn.flag() else drawn.array(dtype, [each * groups + (1 if drawn.chance(0.03) else 0)], 0)
        return [x, w, [numbers(drawn, axes, [1, 1, 2, 3], False), [[pad, pad] for pad in pads],
                       numbers(drawn, axes, [1, 1, 2], False), groups, numbers(drawn, axes, [0, 0, 0, 0, 1], False)],
                bias]

    return draw


def conv_transpose(x, w, options, bias):
    stride, pads, dilation, groups, more = options
    axes = w.dim() - 2
    if bias is not None and bias.shape != (w.shape[1] * groups,):
        raise Refused("a bias of another length")
    empty = x.dim() == w.dim() and x.shape[0] == 0
    if empty:
        x = torch.zeros((1, *x.shape[1:]), dtype=x.dtype)
    y = getattr(functional, f"conv_transpose{axes}d")(x, w, bias, stride, [pad for pad, _ in pads], more, groups,
                                                      dilation)
    return y[:0] if empty else y


def error_of_transposed(_, x, w, options, bias):
    terms = w.shape[0] // options[3] * w[0][0].numel() + 1
    return max(terms, 4) * EPS * conv_transpose(abs(x), abs(w), options, None if bias is None else abs(bias))


verb("conv_transpose", transposed_arguments(F32), near(conv_transpose, error_of_transposed), times=2)
