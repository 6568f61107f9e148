"""Reductions, scans, rows, columns, statistics and losses in PyTorch."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None


HAS_RMS_NORM = hasattr(functional, "rms_norm")


def axes_of(p, x):
    return p.axes if p.axes is not None else tuple(range(x.dim()))


def over_axes(p, x, of):
    """any, all: PyTorch takes several axes only of late."""
    for axis in sorted(axes_of(p, x), reverse=True):
        x = of(x, axis)
    return x


REDUCE = {
    "sum": lambda p, x: x.sum(axes_of(p, x)),
    "mean": lambda p, x: x.mean(axes_of(p, x)),
    "max": lambda p, x: x.amax(axes_of(p, x)),
    "min": lambda p, x: x.amin(axes_of(p, x)),
    "var": lambda p, x: torch.var(x, axes_of(p, x), unbiased=False),
    "norm": lambda p, x: torch.linalg.vector_norm(x, dim=axes_of(p, x)),
    "mean_abs": lambda p, x: x.abs().mean(axes_of(p, x)),
    "sum_square": lambda p, x: (x * x).sum(axes_of(p, x)),
    "sum_exp": lambda p, x: x.exp().sum(axes_of(p, x)),
    "logsumexp": lambda p, x: torch.logsumexp(x, axes_of(p, x)),
    "any": lambda p, x: x.any() if p.axes is None else over_axes(p, x, torch.any),
    "all": lambda p, x: x.all() if p.axes is None else over_axes(p, x, torch.all),
    "count": lambda p, x: torch.count_nonzero(x, axes_of(p, x)),
}

ARGREDUCE = {"argmax": lambda p, x: x.argmax(p.axis), "argmin": lambda p, x: x.argmin(p.axis)}

SCAN = {
    "cumsum": lambda p, x: x.cumsum(p.axis),
    "cumsum_exclusive": lambda p, x: x.cumsum(p.axis) - x,
    "cumsum_reverse": lambda p, x: x.flip(p.axis).cumsum(p.axis).flip(p.axis),
    "cummax": lambda p, x: x.cummax(p.axis).values,
    "diff": lambda p, x: x.diff(dim=p.axis),
}


def softmax_by_hand(p, x):
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def standardised(x, axis):
    return (x - x.mean(axis, keepdim=True)) / torch.sqrt(torch.var(x, axis, unbiased=False, keepdim=True) + 1e-5)


def rescaled(x, axis):
    low = x.amin(axis, keepdim=True)
    return (x - low) / (x.amax(axis, keepdim=True) - low + 1e-5)


def layer_norm(x, w, b):
    return functional.layer_norm(x, (x.shape[-1],), w, b)


def rms_norm(x, w):
    if HAS_RMS_NORM:
        return functional.rms_norm(x, (x.shape[-1],), w, 1e-5)
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w


ROWS = {
    "softmax": lambda p, x: torch.softmax(x, -1),
    "log_softmax": lambda p, x: torch.log_softmax(x, -1),
    "logsumexp": lambda p, x: torch.logsumexp(x, -1),
    "layer_norm": lambda p, x, w, b: layer_norm(x, w, b),
    "rms_norm": lambda p, x, w: rms_norm(x, w),
    "softmax_by_hand": softmax_by_hand,
    "standardise_by_hand": lambda p, x: standardised(x, -1),
    "normalise_l2": lambda p, x: x / torch.sqrt((x * x).sum(-1, keepdim=True) + 1e-6),
    "rescale": lambda p, x: rescaled(x, -1),
    "layer_norm_of_sum": lambda p, x, w: layer_norm(x + w, w, w),
}


def batch_norm_training(p, x, w, b):
    """With the statistics of this batch as new running ones."""
    mean, var = torch.zeros_like(w), torch.ones_like(w)
    return functional.batch_norm(x, mean, var, w, b, True, 1.0), mean, var


COLUMNS = {
    "centre": lambda p, x: x - x.mean(0, keepdim=True),
    "standardise": lambda p, x: standardised(x, 0),
    "rescale": lambda p, x: rescaled(x, 0),
    "softmax": lambda p, x: torch.softmax(x, 0),
    "variance": lambda p, x: torch.var(x, 0, unbiased=False),
    "batch_norm_training": batch_norm_training,
    "group_norm": lambda p, x, w, b: functional.group_norm(x, 1, w, b),
}


def skewness(p, x):
    low = x - x.mean()
    return (low * low * low).mean() / torch.var(x, unbiased=False) ** 1.5


def quantile(x, q, axis):
    """As torch.quantile, which refuses more than 16 million elements: between two places of the sorted row."""
    in_order = x.sort(axis).values
    place = q * (x.shape[axis] - 1)
    low = int(place)
    below, above = in_order.select(axis, low), in_order.select(axis, min(low + 1, x.shape[axis] - 1))
    return torch.lerp(below, above, place - low)


STATISTICS = {
    "stddev": lambda p, x: torch.std(x, unbiased=False),
    "skewness": skewness,
    "median": lambda p, x: quantile(x.reshape(-1), 0.5, 0),
    "quantile": lambda p, x: quantile(x.reshape(-1), 0.9, 0),
    "ptp": lambda p, x: x.max() - x.min(),
    "column_stddev": lambda p, x: torch.std(x, 0, unbiased=False),
    "column_quantile": lambda p, x: quantile(x, 0.25, 0),
    "covariance": lambda p, x: torch.cov(x.t()).reshape(x.shape[1], x.shape[1]),
    "correlation": lambda p, x: torch.corrcoef(x.t()).reshape(x.shape[1], x.shape[1]),
    "histogram": lambda p, x: torch.histc(x, 64, -3, 3),
}

LOSSES = {
    "cross_entropy": lambda p, x, labels: functional.cross_entropy(x, labels),
    "nll_by_gather": lambda p, x, labels: -torch.log_softmax(x, -1).gather(1, labels[:, None]).mean(),
    "mse": lambda p, x, y: functional.mse_loss(x, y),
    "l1": lambda p, x, y: functional.l1_loss(x, y),
    "huber": lambda p, x, y: functional.huber_loss(x, y),
    "bce_with_logits": lambda p, x, y: functional.binary_cross_entropy_with_logits(x, y),
    "kl_div": lambda p, x, y: functional.kl_div(x, y, reduction="mean"),
    "cosine": lambda p, a, b: (1 - functional.cosine_similarity(a, b, -1)).mean(),
    "hinge_by_hand": lambda p, x, y: (1 - x * y.sign()).clamp_min(0).mean(),
}

TABLE = {"reduce_all": REDUCE, "reduce_axes": REDUCE, "argreduce": ARGREDUCE, "scan": SCAN, "rows": ROWS,
         "columns": COLUMNS, "statistics": STATISTICS, "losses": LOSSES}
