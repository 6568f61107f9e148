"""Reductions, scans, rows, columns, statistics and losses in NumPy."""

try:
    import numpy as np
except ImportError:  # its tables are looked at without it
    np = None


def reduction(of):
    return lambda p, x: of(x, p.axes)


def logsumexp_of(x, axes):
    top = x.max(axis=axes, keepdims=True)
    total = np.log(np.exp(x - top).sum(axis=axes, keepdims=True)) + top
    return np.squeeze(total, axis=axes)


REDUCE = {
    "sum": reduction(lambda x, axes: x.sum(axis=axes)),
    "mean": reduction(lambda x, axes: x.mean(axis=axes)),
    "max": reduction(lambda x, axes: x.max(axis=axes)),
    "min": reduction(lambda x, axes: x.min(axis=axes)),
    "var": reduction(lambda x, axes: x.var(axis=axes)),
    "norm": reduction(lambda x, axes: np.sqrt((x * x).sum(axis=axes))),
    "mean_abs": reduction(lambda x, axes: np.abs(x).mean(axis=axes)),
    "sum_square": reduction(lambda x, axes: (x * x).sum(axis=axes)),
    "sum_exp": reduction(lambda x, axes: np.exp(x).sum(axis=axes)),
    "logsumexp": reduction(logsumexp_of),
    "any": reduction(lambda x, axes: x.any(axis=axes)),
    "all": reduction(lambda x, axes: x.all(axis=axes)),
    "count": reduction(lambda x, axes: np.count_nonzero(x, axis=axes)),
}

ARGREDUCE = {"argmax": lambda p, x: x.argmax(axis=p.axis), "argmin": lambda p, x: x.argmin(axis=p.axis)}

SCAN = {
    "cumsum": lambda p, x: x.cumsum(axis=p.axis),
    "cumsum_exclusive": lambda p, x: x.cumsum(axis=p.axis) - x,
    "cumsum_reverse": lambda p, x: np.flip(np.flip(x, p.axis).cumsum(axis=p.axis), p.axis),
    "cummax": lambda p, x: np.maximum.accumulate(x, axis=p.axis),
    "diff": lambda p, x: np.diff(x, axis=p.axis),
}


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def log_softmax(x):
    low = x - x.max(axis=-1, keepdims=True)
    return low - np.log(np.exp(low).sum(axis=-1, keepdims=True))


def standardised(x, axis, eps=1e-5):
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + eps)


def rescaled(x, axis):
    low = x.min(axis=axis, keepdims=True)
    return (x - low) / (x.max(axis=axis, keepdims=True) - low + 1e-5)


ROWS = {
    "softmax": lambda p, x: softmax(x),
    "log_softmax": lambda p, x: log_softmax(x),
    "logsumexp": lambda p, x: logsumexp_of(x, -1),
    "layer_norm": lambda p, x, w, b: standardised(x, -1) * w + b,
    "rms_norm": lambda p, x, w: x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * w,
    "softmax_by_hand": lambda p, x: softmax(x),
    "standardise_by_hand": lambda p, x: standardised(x, -1),
    "normalise_l2": lambda p, x: x / np.sqrt((x * x).sum(axis=-1, keepdims=True) + 1e-6),
    "rescale": lambda p, x: rescaled(x, -1),
    "layer_norm_of_sum": lambda p, x, w: standardised(x + w, -1) * w + w,
}


def channels(w):
    return w[None, :, None, None]


def batch_norm_training(p, x, w, b):
    mean, var = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
    scale = w / np.sqrt(var + 1e-5)
    return x * channels(scale) + channels(b - mean * scale), mean, var


COLUMNS = {
    "centre": lambda p, x: x - x.mean(axis=0, keepdims=True),
    "standardise": lambda p, x: standardised(x, 0),
    "rescale": lambda p, x: rescaled(x, 0),
    "softmax": lambda p, x: softmax(x, 0),
    "variance": lambda p, x: x.var(axis=0),
    "batch_norm_training": batch_norm_training,
    "group_norm": lambda p, x, w, b: standardised(x, (1, 2, 3)) * channels(w) + channels(b),
}


def skewness(p, x):
    low = x - x.mean()
    return (low * low * low).mean() / x.var() ** 1.5


STATISTICS = {
    "stddev": lambda p, x: x.std(),
    "skewness": skewness,
    "median": lambda p, x: np.median(x),
    "quantile": lambda p, x: np.quantile(x, 0.9),
    "ptp": lambda p, x: np.ptp(x),
    "column_stddev": lambda p, x: x.std(axis=0),
    "column_quantile": lambda p, x: np.quantile(x, 0.25, axis=0),
    "covariance": lambda p, x: np.atleast_2d(np.cov(x, rowvar=False)),
    "correlation": lambda p, x: np.atleast_2d(np.corrcoef(x, rowvar=False)),
    "histogram": lambda p, x: np.histogram(x, 64, (-3, 3))[0],
}


def huber(p, x, y):
    far = np.abs(x - y)
    return np.where(far < 1, 0.5 * far * far, far - 0.5).mean()


def of_labels(x, labels):
    return -np.take_along_axis(log_softmax(x), labels[:, None], axis=1).mean()


def cosine(p, a, b):
    lengths = np.sqrt((a * a).sum(axis=-1)) * np.sqrt((b * b).sum(axis=-1))
    return (1 - (a * b).sum(axis=-1) / np.maximum(lengths, 1e-8)).mean()


LOSSES = {
    "cross_entropy": lambda p, x, labels: of_labels(x, labels),
    "nll_by_gather": lambda p, x, labels: of_labels(x, labels),
    "mse": lambda p, x, y: np.square(x - y).mean(),
    "l1": lambda p, x, y: np.abs(x - y).mean(),
    "huber": huber,
    "bce_with_logits": lambda p, x, y: (np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x)))).mean(),
    "kl_div": lambda p, x, y: (y * (np.log(y) - x)).mean(),
    "cosine": cosine,
    "hinge_by_hand": lambda p, x, y: np.maximum(1 - x * np.sign(y), 0).mean(),
}

TABLE = {"reduce_all": REDUCE, "reduce_axes": REDUCE, "argreduce": ARGREDUCE, "scan": SCAN, "rows": ROWS,
         "columns": COLUMNS, "statistics": STATISTICS, "losses": LOSSES}
