"""Products and what networks are made of in NumPy."""

try:
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view
except ImportError:  # its tables are looked at without it
    np = None

from .numpy_maps import sigmoid
from .numpy_reductions import softmax, standardised

MATMUL = {"*": lambda p, a, b: a @ b}
EINSUM = {"*": lambda p, *x: np.einsum(p.verb, *x, optimize=True) if len(x) > 1 else np.einsum(p.verb, *x).copy()}

LAYERS = {
    "linear_relu": lambda p, x, w, b: np.maximum(x @ w + b, 0),
    "linear_tanh": lambda p, x, w, b: np.tanh(x @ w + b),
    "gated": lambda p, x, w, u: (lambda g: g * sigmoid(g))(x @ w) * (x @ u),
    "perceptron": lambda p, x, w, u: np.maximum(x @ w, 0) @ u.T,
    "residual_norm": lambda p, x, w, b: standardised(x + x @ w, -1) * b + b,
    "classify": lambda p, x, w: softmax(x @ w),
}


def pooled(p, x, of):
    windows = sliding_window_view(x, (p.window, p.window), axis=(2, 3))[:, :, ::p.stride, ::p.stride]
    return of(windows, axis=(-2, -1))


POOLING = {
    "max_pool": lambda p, x: pooled(p, x, np.max),
    "avg_pool": lambda p, x: pooled(p, x, np.mean),
    "global_average": lambda p, x: x.mean(axis=(2, 3)),
    "nearest_x2": lambda p, x: x.repeat(2, axis=2).repeat(2, axis=3),
}


def attention(p, q, k, v):
    scores = q @ k.swapaxes(-2, -1) * q.dtype.type(q.shape[-1] ** -0.5)
    if p.causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, q.dtype.type(-np.inf))
    return softmax(scores) @ v


def least_squares(p, x, w, y):
    return w - x.T @ (x @ w - y) * np.float32(0.1 / len(x))


TRAINING = {"least_squares": least_squares}

TABLE = {"matmul": MATMUL, "einsum": EINSUM, "layers": LAYERS, "pooling": POOLING,
         "attention": {"attention": attention}, "training": TRAINING, "convolution": {}, "gradients": {}}
