"""Losses, and the similarity of vectors."""

import numpy as np
import torch
from torch.nn import functional

from comparing.rules import EPS, F32, I32, Near, Refused, common, sum_error

from .table import verb
from .tensors import double

REDUCTIONS = ["none", "sum", "mean"]


def reduced(each, bound, reduction, divisor=None):
    """Of losses that are each within a bound: a sum adds its own error."""
    if reduction == "none":
        return Near(each.numpy(), bound.numpy())
    divisor = 1 if reduction == "sum" else each.numel() if divisor is None else divisor
    slack = bound.sum() + sum_error(each.numel()) * each.abs().sum()
    return Near((each.sum() / divisor).numpy(), (slack / divisor).numpy())


# ---- of classes


def labelled(drawn, smoothing):
    """Logits with an axis of classes, a label for each other place, and options; some labels are left out."""
    rank = drawn.randint(1, 4)
    axis = drawn.randrange(-rank, rank)
    shape = [drawn.choice([0, 1, 2, 3, 5, 13]) for _ in range(rank)]
    classes = shape[axis] = drawn.choice([1, 2, 5, 13, 127])
    logits = drawn.array(F32, shape, 0, drawn.choice([1.0, 4.0, 1e4]))
    bits = np.random.Generator(np.random.PCG64(drawn.getrandbits(64)))
    others = [n for i, n in enumerate(shape) if i != axis % rank]
    ignored = drawn.choice([-100, -1, 0])
    labels = np.asarray(bits.integers(0, classes, others)).astype(I32)
    labels = np.where(bits.random(others) < drawn.choice([0, 0, 0.2, 1]), I32.type(ignored), labels).astype(I32)
    if labels.size and drawn.chance(0.05):
        labels.flat[drawn.randrange(labels.size)] = drawn.choice([classes, -2, 2**31 - 1])
    if drawn.chance(0.03):
        labels = labels.astype(np.float32) if drawn.flag() else np.zeros([7] + others, np.int32)
    weight = bits.uniform(0.25, 2, classes).astype(np.float32) if drawn.flag() else None
    return [logits, labels, [axis, drawn.choice(smoothing), ignored, weight, drawn.choice(REDUCTIONS)]]


def of_labels(function):
    def reference(logits, labels, options):
        axis, smoothing, ignored, weight, reduction = options
        if labels.dtype != I32 or labels.ndim != logits.ndim - 1:
            raise Refused("no labels")
        x = double(logits).moveaxis(axis, 1 if logits.ndim > 1 else 0)
        at, weight = torch.from_numpy(labels.astype(np.int64)), None if weight is None else double(weight)
        if x.numel() == 0:  # which PyTorch's smoothing cannot do
            each, counting = torch.zeros(labels.shape, dtype=torch.float64), torch.tensor(0.0, dtype=torch.float64)
        else:
            each = function(x, at, weight, ignored, smoothing)
            counts = at != ignored
            counting = counts.double() if weight is None else counts * weight[torch.where(counts, at, 0)]
        return reduced(each, 2e-6 * each.abs().clamp(min=1), reduction, counting.sum())

    return reference


def cross_entropy(x, labels, weight, ignored, smoothing):
    return functional.cross_entropy(x, labels, weight, ignore_index=ignored, reduction="none",
                                    label_smoothing=smoothing)


def nll_loss(x, labels, weight, ignored, _):
    return functional.nll_loss(x, labels, weight, ignore_index=ignored, reduction="none")


verb("cross_entropy", lambda drawn: labelled(drawn, [0.0, 0.0, 0.1, 1.0]), of_labels(cross_entropy))
verb("nll_loss", lambda drawn: labelled(drawn, [0.0]), of_labels(nll_loss))


# ---- of pairs


def pairs(drawn):
    """Operands that broadcast, or a number as one of them."""
    shapes = drawn.broadcasting(2)
    operands = [drawn.real(shape, special=0) for shape in shapes]
    if drawn.chance(0.1):
        operands[drawn.randrange(2)] = drawn.choice([0.5, -2.0, 0.0, 1.0])
    return operands


def of_pairs(function, bound):
    """Each within bound(loss, x, y, numbers behind these)."""

    def reference(x, y, *more):
        *numbers, reduction = more
        common(x, y)  # raises where the two meet in no dtype
        x, y = torch.broadcast_tensors(*(double(np.asarray(one)) for one in (x, y)))
        each = function(x, y, *numbers, reduction="none")
        return reduced(each, bound(each, x, y, *numbers) + 0 * each, reduction)

    return reference


def with_reduction(arguments, *choices):
    return lambda drawn: arguments(drawn) + [drawn.choice(one) for one in (*choices, REDUCTIONS)]


# A difference and a square of it, each rounded once; a difference alone; three steps where huber_loss is linear.
verb("mse_loss", with_reduction(pairs), of_pairs(functional.mse_loss, lambda each, x, y: 2 * EPS * each))
verb("l1_loss", with_reduction(pairs), of_pairs(functional.l1_loss, lambda each, x, y: EPS / 2 * each))


def huber_loss(x, y, delta, reduction):
    if delta <= 0:
        raise Refused("no distance")
    return functional.huber_loss(x, y, reduction, delta)


verb("huber_loss", with_reduction(pairs, [1.0, 0.5, 4.0] * 9 + [-1.0, 0.0]),
     of_pairs(huber_loss, lambda each, x, y, delta: 4 * EPS * each))


def probabilities(drawn):
    """Logits, and the chance of each."""
    x, y = drawn.broadcasting(2)
    return [drawn.real(x, special=0), np.abs(np.tanh(drawn.array(F32, y, 0))).astype(np.float32)]



# 8 ULP of log1p(exp) and of log, and a rounding of each term that is added.
verb("binary_cross_entropy_with_logits", with_reduction(probabilities),
     of_pairs(functional.binary_cross_entropy_with_logits,
              lambda each, x, y: 2 * EPS * (x.abs() + (x * y).abs()) + 8 * EPS * torch.log1p(torch.exp(-x.abs()))))
verb("kl_div", with_reduction(probabilities),
     of_pairs(functional.kl_div,
              lambda each, x, y: y * (2 * EPS * x.abs() + 10 * EPS * torch.where(y == 0, 0.0, torch.log(y).abs()))))


def vectors(drawn):
    shapes = drawn.broadcasting(2)
    rank = max(map(len, shapes))
    axis = drawn.axis(rank)
    operands = [drawn.array(drawn.dtype((F32, F32, I32)), shape, 0) for shape in shapes]
    if drawn.chance(0.1):
        operands[0] = np.zeros_like(operands[0])
    return operands + [axis, drawn.choice([1e-8, 0.5, 0.0] if drawn.chance(0.96) else [-1.0])]


def cosine_similarity(a, b, axis, eps):
    """By its parts: PyTorch 1.13's own bounds the product of the lengths by eps, later ones each length, as we do."""
    if eps < 0:
        raise Refused("a negative bound")
    a, b = torch.broadcast_tensors(double(a), double(b))
    axis = range(a.dim())[axis]
    lengths = [torch.linalg.vector_norm(x, dim=axis).clamp(min=eps) for x in (a, b)]
    # A sum of products and two of squares, of which a root is taken: what Cauchy and Schwarz bound by 1, and 4 ULP.
    return Near(((a * b).sum(axis) / (lengths[0] * lengths[1])).numpy(), 2 * sum_error(a.shape[axis]) + 4 * EPS)


verb("cosine_similarity", vectors, cosine_similarity)
