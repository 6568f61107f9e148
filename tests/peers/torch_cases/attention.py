"""Attention."""

import numpy as np
import torch

from comparing.rules import BOOL, F32, Near, Refused

from .table import verb
from .tensors import double


def operands(drawn):
    """With heads in groups, masks that hide rows, and leading axes that broadcast."""
    rows, columns, features, wide = (drawn.choice([1, 2, 5, 13] + [0] * drawn.chance(0.1)) for _ in range(4))
    heads, groups = drawn.choice([1, 2, 3]), drawn.choice([1, 1, 2, 4])
    leading = [[heads * groups], [heads], [heads]] if drawn.chance(0.8) else [[], [], []]
    if leading[0] and drawn.flag():
        leading = [[2 if drawn.chance(0.8) else 1] + one for one in leading]
    if drawn.chance(0.05):
        leading[drawn.randrange(3)] = [5]
    shapes = [one + [length, n] for one, length, n in
              zip(leading, (rows, columns, columns), (features, features, wide))]
    if drawn.chance(0.04):
        shapes[drawn.randrange(3)][-2] = 7
    q, k, v = (drawn.array(F32, shape, 0, 1.0) for shape in shapes)
    return [q, k, v, [mask(drawn, shapes[0][:-2] + [rows, columns]), drawn.flag(), drawn.choice([None, None, 0.5, 0.0])]]


def mask(drawn, scores):
    if drawn.flag():
        return None
    shape = [1 if drawn.chance(0.2) else n for n in scores[drawn.randint(0, len(scores)):]]
    hidden = drawn.array(BOOL, shape)
    if drawn.flag():
        return hidden
    added = np.where(hidden, -np.inf, drawn.array(F32, shape, 0)).astype(F32)
    return added if drawn.chance(0.97) else added.astype(np.int32)


def shared(x, heads):
    """x with each of its heads as often as q has heads for it."""
    if x.dim() < 3 or x.shape[-3] == heads or heads == 1:
        return x
    if x.shape[-3] == 0 or heads % x.shape[-3]:
        raise Refused("no groups of heads")
    return x.repeat_interleave(heads // x.shape[-3], -3)


def attention(q, k, v, options):
    mask, causal, scale = options
    if mask is not None and mask.dtype not in (BOOL, F32):
        raise Refused("no mask")
    q, k, v = map(double, (q, k, v))
    k = shared(k, q.shape[-3] if q.dim() > 2 else 1)
    scores = q @ k.transpose(-1, -2) * (max(q.shape[-1], 1)**-0.5 if scale is None else scale)
    v = shared(v, scores.shape[-3] if scores.dim() > 2 else 1)
    sees = torch.ones(scores.shape, dtype=torch.bool)
    if mask is not None:
        if np.broadcast_shapes(mask.shape, tuple(scores.shape)) != tuple(scores.shape):
            raise Refused("a mask larger than the scores")
        sees = sees & torch.from_numpy(np.asarray(mask if mask.dtype == BOOL else mask != -np.inf))
        scores = scores if mask.dtype == BOOL else scores + double(mask)
    sees = sees.tril() if causal else sees
    # PyTorch's own gives NaN where a row sees nothing.
    share = torch.where(sees, torch.softmax(torch.where(sees, scores, -torch.inf), -1), 0.0)
    value = share @ v
    # Relative to the largest of what is averaged.
    bound = 4e-6 * (share @ v.abs()) + 1e-6
    return Near(value.numpy(), bound.numpy())


verb("scaled_dot_product_attention", operands, attention)
