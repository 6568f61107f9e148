"""Reductions, rows, scans, order and products."""

import torch
from torch.nn import functional

from .program import Misfit
from .table import step


def reduced(p):
    name = p.value(1)
    return [name, p.axes(name), p.drawn.flag()]


for name, function in {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin,
                       "logsumexp": torch.logsumexp}.items():
    step(name, reduced, function, 4)
step("var", lambda p: [*reduced(p), 0.0], lambda x, axes, keep, _: torch.var(x, axes, False, keep))
step("norm", lambda p: [*reduced(p), 2.0], lambda x, axes, keep, order: torch.linalg.vector_norm(x, order, axes, keep))
step("moments", reduced, lambda x, axes, keep: (torch.mean(x, axes, keep), torch.var(x, axes, False, keep)))


def along(p):
    name = p.value(1)
    return [name, p.axis(name)]


step("softmax", along, torch.softmax, 5)
step("log_softmax", along, torch.log_softmax, 4)
step("cumsum", lambda p: [*along(p), False, False], lambda x, axis, *_: torch.cumsum(x, axis))
step("cumprod", lambda p: [*along(p), False, False], lambda x, axis, *_: torch.cumprod(x, axis), 1)
step("cummax", lambda p: [*along(p), False, False], lambda x, axis, *_: torch.cummax(x, axis).values, 1)
step("logcumsumexp", lambda p: [*along(p), False, False], lambda x, axis, *_: torch.logcumsumexp(x, axis), 1)
step("sort", lambda p: [*along(p), p.drawn.flag()],
     lambda x, axis, down: torch.sort(x, dim=axis, descending=down, stable=True).values)


def largest(p):
    name, axis = along(p)
    return [name, p.drawn.randint(1, p.shape(name)[axis]), axis, p.drawn.flag()]


step("topk", largest, lambda x, count, axis, down: tuple(torch.topk(x, count, axis, down)), 1)


# ---- normalisation and losses: of rows


def row(p):
    """A value and the length of its last axis, several elements."""
    name = p.value(1, where=lambda x: x.shape[-1] > 2)
    return name, p.shape(name)[-1]


def with_weights(p):
    name, n = row(p)
    return [name, [-1], p.array([n]), p.array([n]), 1e-3]


def normed(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


step("layer_norm", with_weights, lambda x, _, w, b, eps: functional.layer_norm(x, w.shape, w, b, eps), 4)
step("rms_norm", lambda p: (lambda x, axes, w, _, eps: [x, axes, w, eps])(*with_weights(p)),
     lambda x, _, w, eps: normed(x, w, eps), 3)


def labelled(p):
    name = p.value(2, 2)
    rows, classes = p.shape(name)
    labels = p.drawn.places([rows], classes, 0) % classes
    return [name, labels, [-1, 0.125, -100, None, p.drawn.choice(["mean", "sum"])]]


step("cross_entropy", labelled, lambda x, labels, of: functional.cross_entropy(
    x, labels, label_smoothing=of[1], reduction=of[4]), 3)
step("mse_loss", lambda p: (lambda x: [x, p.array(p.shape(x)), p.drawn.choice(["mean", "sum", "none"])])(p.value()),
     lambda x, y, how: functional.mse_loss(x, y, reduction=how), 1)


# ---- products


def with_matrix(p):
    """A value by a matrix or by another value that fits."""
    name = p.value(2)
    inner = p.shape(name)[-1]
    if p.drawn.flag():
        try:
            return [name, p.value(2, 2, lambda x: x.shape[0] == inner)]
        except Misfit:
            pass
    return [name, p.array([inner, p.drawn.choice([1, 2, 3, 5, 13])])]


def with_rows(p):
    """A value by the rows of another, or of its own."""
    name = p.value(2, 2)
    inner = p.shape(name)[1]
    return ["ik,jk->ij", [name, p.value(2, 2, lambda x: x.shape[1] == inner)]]


def attended(p):
    """Keys and values of the queries, or others."""
    name = p.value(2)
    *leading, rows, n = p.shape(name)
    k = name if p.drawn.flag() else p.array([*leading, p.drawn.choice([rows, 1, 4]), n])
    v = p.array([*leading, rows if isinstance(k, str) else k.shape[-2], p.drawn.choice([n, 3])])
    return [name, k, v, [None, p.drawn.flag(), 0.5]]


def attention(q, k, v, of):
    scores = q @ k.transpose(-1, -2) * of[2]
    if of[1]:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    return torch.softmax(scores, -1) @ v


step("matmul", with_matrix, torch.matmul, 8)
step("einsum", with_rows, lambda text, operands: torch.einsum(text, *operands), 3)
step("scaled_dot_product_attention", attended, attention, 3)


def summed(p):
    name = p.value(1)
    return [name, p.array(p.shape(name)), p.axes(name), p.drawn.flag()]


step("multiply_sum", summed, lambda a, b, axes, keep: (a * b).sum(axes, keep))
