"""The drawn works in NumPy: what a user without Eglantine would write, by family and verb."""

try:
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view
except ImportError:  # its tables are looked at without it
    np = None

import drawn_works
import measuring

DTYPES = {"f32": "float32", "f16": "float16", "i32": "int32", "u32": "uint32", "i8": "int8", "u8": "uint8",
          "boolean": "bool"}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x):
    return x * (1 + np.tanh(0.7978846 * (x + 0.044715 * x * x * x))) * 0.5


UNARY = {
    "neg": lambda p, x: -x,
    "abs": lambda p, x: np.abs(x),
    "square": lambda p, x: np.square(x),
    "exp": lambda p, x: np.exp(x),
    "expm1": lambda p, x: np.expm1(x),
    "log": lambda p, x: np.log(x),
    "log1p": lambda p, x: np.log1p(x),
    "sqrt": lambda p, x: np.sqrt(x),
    "rsqrt": lambda p, x: 1 / np.sqrt(x),
    "reciprocal": lambda p, x: np.reciprocal(x),
    "sin": lambda p, x: np.sin(x),
    "cos": lambda p, x: np.cos(x),
    "tanh": lambda p, x: np.tanh(x),
    "atan": lambda p, x: np.arctan(x),
    "sigmoid": lambda p, x: sigmoid(x),
    "relu": lambda p, x: np.maximum(x, 0),
    "gelu_tanh": lambda p, x: gelu_tanh(x),
    "silu": lambda p, x: x * sigmoid(x),
    "softplus": lambda p, x: np.logaddexp(x, x.dtype.type(0)),
    "floor": lambda p, x: np.floor(x),
    "cube": lambda p, x: x ** 3,
    "pow_1_7": lambda p, x: x ** x.dtype.type(1.7),
    "clip": lambda p, x: np.clip(x, -0.5, 0.5),
}

BINARY = {
    "add": lambda p, a, b: a + b,
    "sub": lambda p, a, b: a - b,
    "mul": lambda p, a, b: a * b,
    "div": lambda p, a, b: a / b,
    "maximum": lambda p, a, b: np.maximum(a, b),
    "minimum": lambda p, a, b: np.minimum(a, b),
    "pow": lambda p, a, b: a ** b,
    "atan2": lambda p, a, b: np.arctan2(a, b),
    "hypot": lambda p, a, b: np.hypot(a, b),
    "remainder": lambda p, a, b: np.remainder(a, b),
    "logaddexp": lambda p, a, b: np.logaddexp(a, b),
    "lt": lambda p, a, b: a < b,
    "ge": lambda p, a, b: a >= b,
}

CONVERT = {
    "f32_to_f16": lambda p, x: x.astype(np.float16),
    "f16_to_f32": lambda p, x: x.astype(np.float32),
    "f32_to_i32": lambda p, x: x.astype(np.int32),
    "i32_to_f32": lambda p, x: x.astype(np.float32),
    "u8_scaled": lambda p, x: x.astype(np.float32) * np.float32(1 / 255),
    "u8_to_i32": lambda p, x: x.astype(np.int32),
    "boolean_to_f32": lambda p, x: x.astype(np.float32),
}


def adam(p, w, m, v, g):
    m, v = m * 0.9 + g * 0.1, np.abs(v) * 0.999 + g * g * 0.001
    return w - 0.001 * m / (np.sqrt(v) + 1e-8), m, v


def rotation(p, x, y, angle):
    c, s = np.cos(angle), np.sin(angle)
    return x * c - y * s, x * s + y * c


CHAIN = {
    "axpby": lambda p, a, b: a * 2.5 + b * 0.5,
    "polynomial": lambda p, x: (((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5,
    "bias_gelu": lambda p, x, b: gelu_tanh(x + b),
    "swish_gate": lambda p, a, b: a / (1 + np.exp(-a)) * b,
    "adam": adam,
    "kernel_weight": lambda p, a, b, c: np.exp(-0.5 * np.square(a - b) / (0.1 + np.square(c))),
    "rotation": rotation,
    "blend": lambda p, a, b, c: np.where(a > b, a * c, b - c),
    "affine": lambda p, x, a, b: x * a + b,
    "standardise": lambda p, x, m, d: (x - m) / (np.abs(d) + 0.5),
    "residual": lambda p, x, a, b: x + np.tanh(a * 0.5 + b),
}


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


def sliced(p, x):
    return x[(slice(None),) * p.axis + (slice(p.start, None, p.step),)].copy()


MOVEMENT = {
    "permute": lambda p, x: np.ascontiguousarray(x.transpose(p.axes)),
    "flip": lambda p, x: np.flip(x, p.axis).copy(),
    "slice": sliced,
    "tril": lambda p, x: np.tril(x),
    "ravel_transposed": lambda p, x: x.swapaxes(-2, -1).flatten(),
}


def pads(p):
    flat = p.pads
    return list(zip(flat[::2], flat[1::2]))


def tiled(p, x):
    counts = [1] * x.ndim
    counts[p.axis] = p.count
    return np.tile(x, counts)


JOIN = {
    "concatenate": lambda p, *x: np.concatenate(x, axis=p.axis),
    "stack": lambda p, *x: np.stack(x, axis=p.axis),
    "pad": lambda p, x: np.pad(x, pads(p)),
    "pad_reflect": lambda p, x: np.pad(x, pads(p), mode="reflect"),
    "roll": lambda p, x: np.roll(x, p.shift, axis=p.axis),
    "repeat": lambda p, x: np.repeat(x, p.count, axis=p.axis),
    "tile": tiled,
}

TAKE = {
    "elements": lambda p, x, i: x.take(i),
    "slices": lambda p, x, i: x.take(i, axis=p.axis),
    "pairs": lambda p, x, i, j: x[i, j],
}

TAKE_ALONG = {"take_along_axis": lambda p, x, i: np.take_along_axis(x, i, axis=p.axis)}


def added(x, places, updates):
    y = x.copy()
    np.add.at(y, places, updates)
    return y


def scatter_add(p, x, index, updates):
    other = np.arange(x.shape[1 - p.axis])
    places = (index, other[None, :]) if p.axis == 0 else (other[:, None], index)
    return added(x, places, updates)


def segment_sum(p, x, segments):
    y = np.zeros((p.count,) + x.shape[1:], x.dtype)
    np.add.at(y, segments, x)
    return y


ADDING = {
    "scatter_add": scatter_add,
    "index_add": lambda p, x, i, u: added(x, i, u),
    "index_put_add": lambda p, x, i, j, u: added(x, (i, j), u),
    "segment_sum": segment_sum,
    "bincount": lambda p, i: np.bincount(i, minlength=p.bins),
    "bincount_weighted": lambda p, i, w: np.bincount(i, w, minlength=p.bins),
}

SELECT = {
    "compress": lambda p, x, m: x[m],
    "nonzero": lambda p, m: np.argwhere(m),
    "compress_rows": lambda p, x, m: x[m],
    "compress_positive": lambda p, x: x[x > 0],
}


def in_order(p, x, of):
    if not p.descending:
        return of(x, axis=p.axis, kind="stable")
    # Of equals the first comes first: as places from the end of the axis, turned round.
    turned = np.flip(x, p.axis)
    y = np.flip(of(turned, axis=p.axis, kind="stable"), p.axis)
    return x.shape[p.axis] - 1 - y if of is np.argsort else y


def topk(p, x):
    places = np.argpartition(-x, p.k - 1, axis=-1)[..., :p.k]
    values = np.take_along_axis(x, places, axis=-1)
    order = np.argsort(-values, axis=-1)
    return np.take_along_axis(values, order, axis=-1), np.take_along_axis(places, order, axis=-1)


SORT = {"sort": lambda p, x: in_order(p, x, np.sort), "argsort": lambda p, x: in_order(p, x, np.argsort)}
TOPK = {"topk": topk}


def generator():
    return np.random.default_rng(7)


RANDOM = {
    "uniform": lambda p, x: generator().random(p.shape, dtype=np.float32),
    "normal": lambda p, x: generator().standard_normal(p.shape, dtype=np.float32),
    "randint": lambda p, x: generator().integers(0, 1000, p.shape, dtype=np.int32),
    "bernoulli": lambda p, x: generator().random(p.shape, dtype=np.float32) < 0.3,
    "dropout": lambda p, x: np.where(generator().random(x.shape, dtype=np.float32) < 0.9, x * np.float32(1 / 0.9), 0),
}

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


def squares_by_product(a, b):
    return (a * a).sum(axis=1, keepdims=True) + (b * b).sum(axis=1) - 2 * (a @ b.T)


def squares(a, b):
    return np.square(a[:, None] - b[None]).sum(axis=2)


def unit(x):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True))


DISTANCES = {
    "squares_by_product": lambda p, a, b: squares_by_product(a, b),
    "distances": lambda p, a, b: np.sqrt(squares(a, b)),
    "manhattan": lambda p, a, b: np.abs(a[:, None] - b[None]).sum(axis=2),
    "cosines": lambda p, a, b: unit(a) @ unit(b).T,
    "gaussians": lambda p, a, b: np.exp(-0.5 * squares(a, b)),
    "nearest": lambda p, a, b: squares(a, b).argmin(axis=1),
    "nearest_by_product": lambda p, a, b: squares_by_product(a, b).argmin(axis=1),
    "nearest_distance": lambda p, a, b: np.sqrt(squares(a, b).min(axis=1)),
}


def bodies(x):
    apart = x[None] - x[:, None]
    return apart, 1 / np.sqrt((apart * apart).sum(axis=2) + np.float32(0.01))


def acceleration(x, mass):
    apart, inverse = bodies(x)
    return (apart * (mass * inverse * inverse * inverse)[:, :, None]).sum(axis=1)


def leapfrog(p, x, mass, velocity):
    velocity = velocity + np.float32(0.01) * acceleration(x, mass)
    return x + np.float32(0.01) * velocity, velocity


N_BODY = {
    "acceleration": lambda p, x, mass: acceleration(x, mass),
    "energy": lambda p, x, mass: (mass * bodies(x)[1]).sum(axis=1) * mass * -0.5,
    "leapfrog": leapfrog,
    "gaussian_sum": lambda p, x, values: np.exp(-0.5 * squares(x, x)) @ values,
}


def life(p, x):
    alive = (x > 0).astype(np.float32)
    rows = alive + np.roll(alive, 1, 0) + np.roll(alive, -1, 0)
    around = rows + np.roll(rows, 1, 1) + np.roll(rows, -1, 1) - alive
    return np.where(around == 3, np.float32(1), np.where(around == 2, alive, np.float32(0)))


def blur(p, x):
    rows = x[:-2] + 2 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) * np.float32(1 / 16)


def slope(p, x):
    down, across = (x[2:] - x[:-2])[:, 1:-1], (x[:, 2:] - x[:, :-2])[1:-1]
    return np.sqrt(down * down + across * across) * 0.5


def heat_step(p, x):
    around = np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1)
    return x + 0.1 * (around - 4 * x)


def laplacian_2d(p, x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def laplacian_3d(p, x):
    i = slice(1, -1)
    return (x[:-2, i, i] + x[2:, i, i] + x[i, :-2, i] + x[i, 2:, i] + x[i, i, :-2] + x[i, i, 2:] - 6 * x[i, i, i])


STENCIL = {
    "laplacian_2d": laplacian_2d,
    "laplacian_3d": laplacian_3d,
    "heat_step": heat_step,
    "life": life,
    "blur": blur,
    "slope": slope,
    "moving_average": lambda p, x: (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:]) * np.float32(0.2),
}


def without_outliers(p, x):
    middle, far = x.mean(), 2 * x.std()
    return np.minimum(np.maximum(x, middle - far), middle + far)


MASKS = {
    "count_positive": lambda p, x: np.count_nonzero(x > 0),
    "larger_or_zero": lambda p, x, y: np.where(x > y, x, np.float32(0)),
    "masked_mean": lambda p, x, m: np.where(m, x, np.float32(0)).sum() / np.float32(m.sum()),
    "masked_fill": lambda p, x, m: np.where(m, np.float32(-1e9), x),
    "masked_softmax": lambda p, x, m: softmax(np.where(m, x, np.float32(-1e9))),
    "without_outliers": without_outliers,
    "count_between": lambda p, x: np.count_nonzero((x > -1) & (x < 1), axis=-1),
    "any_large": lambda p, x: (x > 3).any(axis=-1),
    "agreement": lambda p, x, y: ((x > 0) == (y > 0)).astype(np.float32).mean(),
    "is_close": lambda p, x, y: np.abs(x - y) < 0.5,
}


def least_squares(p, x, w, y):
    return w - x.T @ (x @ w - y) * np.float32(0.1 / len(x))


TRAINING = {"least_squares": least_squares}

TABLE = {
    "unary": UNARY, "binary": BINARY, "convert": CONVERT, "chain": CHAIN, "reduce_all": REDUCE, "reduce_axes": REDUCE,
    "argreduce": ARGREDUCE, "scan": SCAN, "rows": ROWS, "columns": COLUMNS, "statistics": STATISTICS,
    "movement": MOVEMENT, "join": JOIN, "take": TAKE, "take_along": TAKE_ALONG, "adding": ADDING, "select": SELECT,
    "sort": SORT, "topk": TOPK, "random": RANDOM, "matmul": MATMUL, "einsum": EINSUM, "layers": LAYERS,
    "pooling": POOLING, "attention": {"attention": attention}, "losses": LOSSES, "distances": DISTANCES,
    "n_body": N_BODY, "stencil": STENCIL, "masks": MASKS, "training": TRAINING, "convolution": {}, "gradients": {},
}

# By family, or by family and verb.
LEFT_OUT = {
    ("unary", "gelu"): "NumPy has no erf",
    ("unary", "erf"): "NumPy has no erf",
    ("layers", "linear_gelu"): "NumPy has no erf",
    ("pooling", "bilinear_x2"): "NumPy has no interpolation of pictures",
    "convolution": "NumPy has no convolution over channels",
    "gradients": "NumPy has no derivatives",
    ("training", "perceptron_sgd"): "NumPy has no derivatives",
    ("training", "perceptron_momentum"): "NumPy has no derivatives",
    ("training", "logistic"): "NumPy has no derivatives",
}


def reason_to_leave_out(work):
    """Why NumPy has no counterpart of a work, or ""."""
    if "bf16" in work.dtypes or "bf16" in work.verb:
        return "NumPy has no bfloat16"
    return LEFT_OUT.get(work.family) or LEFT_OUT.get((work.family, work.verb)) or ""


def filled(operand, random):
    shape, dtype = operand.stored, np.dtype(DTYPES[operand.dtype])
    if operand.fill == "bits":
        info = np.iinfo(dtype)
        return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    if operand.fill == "index":
        return random.integers(0, operand.bound, shape, dtype=np.int32)
    if operand.fill == "mask":
        return random.random(shape, dtype=np.float32) > 0.5
    if operand.fill == "normal":
        return random.standard_normal(shape, dtype=np.float32).astype(dtype, copy=False)
    low, width = {"uniform": (0, 1), "signed_uniform": (-1, 2), "positive": (0.5, 1), "small": (-0.1, 0.2)}[operand.fill]
    return (random.random(shape, dtype=np.float32) * np.float32(width) + np.float32(low)).astype(dtype, copy=False)


def view(x, operand):
    if operand.layout == "transposed":
        return x.swapaxes(*operand.axes)
    if operand.layout == "sliced":
        return x[operand.slices()]
    if operand.layout == "flipped":
        return np.flip(x, operand.axes[0])
    if operand.layout == "broadcast":
        return np.broadcast_to(x, operand.shape)
    return x[1:].reshape(operand.shape) if operand.layout == "offset" else x


def parts_of(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def problem_of(work, result):
    parts = parts_of(result)
    wrong = work.problem_of_shapes([np.shape(part) for part in parts])
    is_float = [part for part in parts if np.asarray(part).dtype.kind == "f"]
    return wrong or ("" if all(np.isfinite(part).all() for part in is_float) else "a result is not finite")


def measured(work, random):
    """The work for measuring.main()."""
    reason = reason_to_leave_out(work)
    if reason and work.family in TABLE:
        return measuring.Work(work.name, None, left_out=reason)
    of, p = work.entry(TABLE), work.parameters

    def prepare():
        draw = lambda: [filled(operand, random) for operand in work.operands]
        first = draw()
        sets = [first] + [draw() for _ in range(measuring.sets_of(sum(x.nbytes for x in first)) - 1)]
        run = lambda stored: of(p, *[view(x, operand) for x, operand in zip(stored, work.operands)])
        return [lambda stored=stored: run(stored) for stored in sets], lambda: problem_of(work, run(first))

    return measuring.Work(work.name, prepare, bytes=work.bytes, operations=work.operations)


def works_of(path):
    random = np.random.default_rng(1)
    return [measured(work, random) for work in drawn_works.read(path)]
