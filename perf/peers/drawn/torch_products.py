"""Products and what networks are made of in PyTorch."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None

from .torch_reductions import layer_norm

HAS_ATTENTION = hasattr(functional, "scaled_dot_product_attention")

MATMUL = {"*": lambda p, a, b: a @ b}
EINSUM = {"*": lambda p, *x: torch.einsum(p.verb, *x).contiguous()}

LAYERS = {
    "linear_relu": lambda p, x, w, b: functional.relu(x @ w + b),
    "linear_gelu": lambda p, x, w, b: functional.gelu(x @ w + b),
    "linear_tanh": lambda p, x, w, b: torch.tanh(x @ w + b),
    "gated": lambda p, x, w, u: functional.silu(x @ w) * (x @ u),
    "perceptron": lambda p, x, w, u: functional.relu(x @ w) @ u.t(),
    "residual_norm": lambda p, x, w, b: layer_norm(x + x @ w, b, b),
    "classify": lambda p, x, w: torch.softmax(x @ w, -1),
}

CONVOLUTION = {
    "conv1d": lambda p, x, w: functional.conv1d(x, w, None, p.stride, p.padding, 1, p.groups),
    "conv2d": lambda p, x, w: functional.conv2d(x, w, None, p.stride, p.padding, 1, p.groups),
}

POOLING = {
    "max_pool": lambda p, x: functional.max_pool2d(x, p.window, p.stride),
    "avg_pool": lambda p, x: functional.avg_pool2d(x, p.window, p.stride),
    "global_average": lambda p, x: x.mean((2, 3)),
    "nearest_x2": lambda p, x: functional.interpolate(x, scale_factor=2),
    "bilinear_x2": lambda p, x: functional.interpolate(x, scale_factor=2, mode="bilinear"),
}


def attention(p, q, k, v):
    if HAS_ATTENTION:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=bool(p.causal))
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    if p.causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    return torch.softmax(scores, -1) @ v


TABLE = {"matmul": MATMUL, "einsum": EINSUM, "layers": LAYERS, "convolution": CONVOLUTION, "pooling": POOLING,
         "attention": {"attention": attention}}
