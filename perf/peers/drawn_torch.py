"""The drawn works in PyTorch, eager and compiled, by family and verb. Places are i64, as PyTorch's are; a flipped operand
is flipped by the call, for no view of PyTorch's runs backwards."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None

import drawn_works
import measuring

HAS_RMS_NORM, HAS_ATTENTION = (hasattr(functional, name) for name in ("rms_norm", "scaled_dot_product_attention"))
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "u8": "uint8", "i8": "int8",
          "boolean": "bool"}

UNARY = {
    "neg": lambda p, x: -x,
    "abs": lambda p, x: x.abs(),
    "square": lambda p, x: x.square(),
    "exp": lambda p, x: x.exp(),
    "expm1": lambda p, x: x.expm1(),
    "log": lambda p, x: x.log(),
    "log1p": lambda p, x: x.log1p(),
    "sqrt": lambda p, x: x.sqrt(),
    "rsqrt": lambda p, x: x.rsqrt(),
    "reciprocal": lambda p, x: x.reciprocal(),
    "sin": lambda p, x: x.sin(),
    "cos": lambda p, x: x.cos(),
    "tanh": lambda p, x: x.tanh(),
    "atan": lambda p, x: x.atan(),
    "sigmoid": lambda p, x: x.sigmoid(),
    "relu": lambda p, x: functional.relu(x),
    "gelu": lambda p, x: functional.gelu(x),
    "gelu_tanh": lambda p, x: functional.gelu(x, approximate="tanh"),
    "silu": lambda p, x: functional.silu(x),
    "softplus": lambda p, x: functional.softplus(x),
    "erf": lambda p, x: x.erf(),
    "floor": lambda p, x: x.floor(),
    "cube": lambda p, x: x ** 3,
    "pow_1_7": lambda p, x: x ** 1.7,
    "clip": lambda p, x: x.clamp(-0.5, 0.5),
}

BINARY = {
    "add": lambda p, a, b: a + b,
    "sub": lambda p, a, b: a - b,
    "mul": lambda p, a, b: a * b,
    "div": lambda p, a, b: a / b,
    "maximum": lambda p, a, b: torch.maximum(a, b),
    "minimum": lambda p, a, b: torch.minimum(a, b),
    "pow": lambda p, a, b: a ** b,
    "atan2": lambda p, a, b: torch.atan2(a, b),
    "hypot": lambda p, a, b: torch.hypot(a, b),
    "remainder": lambda p, a, b: torch.remainder(a, b),
    "logaddexp": lambda p, a, b: torch.logaddexp(a, b),
    "lt": lambda p, a, b: a < b,
    "ge": lambda p, a, b: a >= b,
}

CONVERT = {
    "f32_to_f16": lambda p, x: x.to(torch.float16),
    "f16_to_f32": lambda p, x: x.to(torch.float32),
    "f32_to_bf16": lambda p, x: x.to(torch.bfloat16),
    "bf16_to_f32": lambda p, x: x.to(torch.float32),
    "f32_to_i32": lambda p, x: x.to(torch.int32),
    "i32_to_f32": lambda p, x: x.to(torch.float32),
    "u8_scaled": lambda p, x: x.to(torch.float32) * (1 / 255),
    "u8_to_i32": lambda p, x: x.to(torch.int32),
    "boolean_to_f32": lambda p, x: x.to(torch.float32),
}


def gelu_by_hand(p, x, b):
    x = x + b
    return 0.5 * x * (1 + torch.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


def adam(p, w, m, v, g):
    m, v = m * 0.9 + g * 0.1, v.abs() * 0.999 + g * g * 0.001
    return w - 0.001 * m / (v.sqrt() + 1e-8), m, v


def rotation(p, x, y, angle):
    c, s = angle.cos(), angle.sin()
    return x * c - y * s, x * s + y * c


CHAIN = {
    "axpby": lambda p, a, b: a * 2.5 + b * 0.5,
    "polynomial": lambda p, x: (((x * 0.1 + 0.2) * x + 0.3) * x + 0.4) * x + 0.5,
    "bias_gelu": gelu_by_hand,
    "swish_gate": lambda p, a, b: a / (1 + torch.exp(-a)) * b,
    "adam": adam,
    "kernel_weight": lambda p, a, b, c: torch.exp(-0.5 * (a - b).square() / (0.1 + c.square())),
    "rotation": rotation,
    "blend": lambda p, a, b, c: torch.where(a > b, a * c, b - c),
    "affine": lambda p, x, a, b: x * a + b,
    "standardise": lambda p, x, m, d: (x - m) / (d.abs() + 0.5),
    "residual": lambda p, x, a, b: x + torch.tanh(a * 0.5 + b),
}


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
    below, above = (in_order.select(axis, min(i, x.shape[axis] - 1)) for i in (low, low + 1))
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

MOVEMENT = {
    "permute": lambda p, x: x.permute(p.axes).clone(memory_format=torch.contiguous_format),
    "flip": lambda p, x: x.flip(p.axis),
    "slice": lambda p, x: x[(slice(None),) * p.axis + (slice(p.start, None, p.step),)].clone(
        memory_format=torch.contiguous_format),
    "tril": lambda p, x: x.tril(),
    "ravel_transposed": lambda p, x: x.transpose(-2, -1).clone(memory_format=torch.contiguous_format).reshape(-1),
}


def pads(p):
    """Pairs from the last axis on, as PyTorch wants them."""
    pairs = list(zip(p.pads[::2], p.pads[1::2]))
    return [number for pair in reversed(pairs) for number in pair]


def reflected(p, x):
    """PyTorch pads the last axis of few rows on CUDA; of more, places are taken."""
    rows, length = x.reshape(1, -1, x.shape[-1]), x.shape[-1]
    if rows.shape[1] > 65535:
        places = torch.arange(-p.pads[-2], length + p.pads[-1], device=x.device).abs()
        return x.index_select(-1, (length - 1) - ((length - 1) - places).abs())
    return functional.pad(rows, p.pads[-2:], mode="reflect").reshape(x.shape[:-1] + (-1,))


JOIN = {
    "concatenate": lambda p, *x: torch.cat(x, p.axis),
    "stack": lambda p, *x: torch.stack(x, p.axis),
    "pad": lambda p, x: functional.pad(x, pads(p)),
    "pad_reflect": reflected,
    "roll": lambda p, x: torch.roll(x, p.shift, p.axis),
    "repeat": lambda p, x: torch.repeat_interleave(x, p.count, p.axis),
    "tile": lambda p, x: x.repeat([p.count if i == p.axis else 1 for i in range(x.dim())]),
}

TAKE = {
    "elements": lambda p, x, i: x.index_select(0, i),
    "slices": lambda p, x, i: x.index_select(p.axis, i),
    "pairs": lambda p, x, i, j: x[i, j],
}

TAKE_ALONG = {"take_along_axis": lambda p, x, i: torch.gather(x, p.axis, i)}

# With torch.use_deterministic_algorithms, under which bincount takes no weights on CUDA.
ADDING = {
    "scatter_add": lambda p, x, i, u: x.scatter_add(p.axis, i, u),
    "index_add": lambda p, x, i, u: x.index_add(0, i, u),
    "index_put_add": lambda p, x, i, j, u: x.index_put((i, j), u, accumulate=True),
    "segment_sum": lambda p, x, i: x.new_zeros((p.count,) + x.shape[1:]).index_add(0, i, x),
    "bincount": lambda p, i: torch.bincount(i, minlength=p.bins),
    "bincount_weighted": lambda p, i, w: w.new_zeros(p.bins).scatter_add(0, i, w),
}

SELECT = {
    "compress": lambda p, x, m: x[m],
    "nonzero": lambda p, m: torch.nonzero(m),
    "compress_rows": lambda p, x, m: x[m],
    "compress_positive": lambda p, x: x[x > 0],
}

SORT = {
    "sort": lambda p, x: torch.sort(x, p.axis, bool(p.descending)).values,
    "argsort": lambda p, x: torch.sort(x, dim=p.axis, descending=bool(p.descending), stable=True).indices,
}
TOPK = {"topk": lambda p, x: tuple(torch.topk(x, p.k, -1))}

RANDOM = {
    "uniform": lambda p, x: torch.rand(p.shape, device=x.device),
    "normal": lambda p, x: torch.randn(p.shape, device=x.device),
    "randint": lambda p, x: torch.randint(0, 1000, p.shape, device=x.device, dtype=torch.int32),
    "bernoulli": lambda p, x: torch.rand(p.shape, device=x.device) < 0.3,
    "dropout": lambda p, x: functional.dropout(x, 0.1, True),
}

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


def squares_by_product(a, b):
    return (a * a).sum(1, keepdim=True) + (b * b).sum(1) - 2 * (a @ b.t())


def squares(a, b):
    return (a[:, None] - b[None]).square().sum(2)


def unit(x):
    return x / torch.sqrt((x * x).sum(1, keepdim=True))


DISTANCES = {
    "squares_by_product": lambda p, a, b: squares_by_product(a, b),
    "distances": lambda p, a, b: torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"),
    "manhattan": lambda p, a, b: torch.cdist(a, b, 1),
    "cosines": lambda p, a, b: unit(a) @ unit(b).t(),
    "gaussians": lambda p, a, b: torch.exp(-0.5 * squares(a, b)),
    "nearest": lambda p, a, b: squares(a, b).argmin(1),
    "nearest_by_product": lambda p, a, b: squares_by_product(a, b).argmin(1),
    "nearest_distance": lambda p, a, b: torch.sqrt(squares(a, b).amin(1)),
}


def bodies(x):
    apart = x[None] - x[:, None]
    return apart, torch.rsqrt((apart * apart).sum(2) + 0.01)


def acceleration(x, mass):
    apart, inverse = bodies(x)
    return (apart * (mass * inverse * inverse * inverse)[:, :, None]).sum(1)


def leapfrog(p, x, mass, velocity):
    velocity = velocity + 0.01 * acceleration(x, mass)
    return x + 0.01 * velocity, velocity


N_BODY = {
    "acceleration": lambda p, x, mass: acceleration(x, mass),
    "energy": lambda p, x, mass: (mass * bodies(x)[1]).sum(1) * mass * -0.5,
    "leapfrog": leapfrog,
    "gaussian_sum": lambda p, x, values: torch.exp(-0.5 * squares(x, x)) @ values,
}


def life(p, x):
    alive = (x > 0).to(torch.float32)
    rows = alive + alive.roll(1, 0) + alive.roll(-1, 0)
    around = rows + rows.roll(1, 1) + rows.roll(-1, 1) - alive
    return torch.where(around == 3, torch.ones_like(x), torch.where(around == 2, alive, torch.zeros_like(x)))


def blur(p, x):
    rows = x[:-2] + 2 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) * (1 / 16)


def slope(p, x):
    down, across = (x[2:] - x[:-2])[:, 1:-1], (x[:, 2:] - x[:, :-2])[1:-1]
    return torch.sqrt(down * down + across * across) * 0.5


def heat_step(p, x):
    return x + 0.1 * (x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4 * x)


def laplacian_2d(p, x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def laplacian_3d(p, x):
    i = slice(1, -1)
    return x[:-2, i, i] + x[2:, i, i] + x[i, :-2, i] + x[i, 2:, i] + x[i, i, :-2] + x[i, i, 2:] - 6 * x[i, i, i]


STENCIL = {
    "laplacian_2d": laplacian_2d,
    "laplacian_3d": laplacian_3d,
    "heat_step": heat_step,
    "life": life,
    "blur": blur,
    "slope": slope,
    "moving_average": lambda p, x: (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:]) * 0.2,
}


def without_outliers(p, x):
    middle, far = x.mean(), 2 * torch.std(x, unbiased=False)
    return torch.minimum(torch.maximum(x, middle - far), middle + far)


def chosen(m, x, otherwise):
    return torch.where(m, x, torch.full((), otherwise, device=x.device))


MASKS = {
    "count_positive": lambda p, x: torch.count_nonzero(x > 0),
    "larger_or_zero": lambda p, x, y: chosen(x > y, x, 0.0),
    "masked_mean": lambda p, x, m: chosen(m, x, 0.0).sum() / m.sum(),
    "masked_fill": lambda p, x, m: x.masked_fill(m, -1e9),
    "masked_softmax": lambda p, x, m: torch.softmax(x.masked_fill(~m, -1e9), -1),
    "without_outliers": without_outliers,
    "count_between": lambda p, x: torch.count_nonzero((x > -1) & (x < 1), -1),
    "any_large": lambda p, x: (x > 3).any(-1),
    "agreement": lambda p, x, y: ((x > 0) == (y > 0)).to(torch.float32).mean(),
    "is_close": lambda p, x, y: (x - y).abs() < 0.5,
}


class Derived:
    """forward(p, *operands), differentiated: by its first `count` operands, given the result's cotangent as the last
    operand or, of a loss, none; `finish(p, operands, loss, slopes)` makes the results of them. What is compiled is
    forward, and with it its derivative, and finish."""

    def __init__(self, forward, count=1, finish=None, is_loss=False):
        self.forward, self.count, self.finish, self.is_loss = forward, count, finish, is_loss

    def bound(self, p, prepared):
        forward = prepared(lambda *x: self.forward(p, *x))
        finish = prepared(lambda x, loss, slopes: self.finish(p, x, loss, slopes)) if self.finish else None

        def call(*x):
            inputs = [each.detach().requires_grad_() for each in x[:self.count]]
            rest = x[self.count:] if self.is_loss else x[self.count:-1]
            y = forward(*inputs, *rest)
            slopes = torch.autograd.grad(y, inputs, None if self.is_loss else x[-1])
            with torch.no_grad():
                return finish(x, y.detach(), slopes) if finish else slopes

        return call


GRADIENTS = {
    "softmax": Derived(lambda p, x: torch.softmax(x, -1)),
    "log_softmax": Derived(lambda p, x: torch.log_softmax(x, -1)),
    "layer_norm": Derived(lambda p, x, w, b: layer_norm(x, w, b), 3),
    "rms_norm": Derived(lambda p, x, w: rms_norm(x, w), 2),
    "bias_gelu": Derived(lambda p, x, b: functional.gelu(x + b), 2),
    "standardise": Derived(lambda p, x: standardised(x, 0)),
    "cumsum": Derived(lambda p, x: x.cumsum(-1)),
    "cross_entropy": Derived(lambda p, x, labels: functional.cross_entropy(x, labels), is_loss=True),
    "embedding": Derived(lambda p, x, i: functional.embedding(i, x)),
    "matmul": Derived(lambda p, a, b: a @ b, 2),
    "max_pool": Derived(lambda p, x: functional.max_pool2d(x, 2)),
    "convolution": Derived(lambda p, x, w: functional.conv2d(x, w, None, 1, 1), 2),
}


def perceptron(p, w1, b1, w2, b2, x, labels, *velocities):
    return functional.cross_entropy(functional.relu(x @ w1 + b1) @ w2 + b2, labels)


def descended(p, x, loss, slopes):
    return (loss, *(w - 0.05 * slope for w, slope in zip(x, slopes)))


def with_momentum(p, x, loss, slopes):
    velocities = [0.9 * v + slope for v, slope in zip(x[6:], slopes)]
    return (loss, *(w - 0.05 * v for w, v in zip(x, velocities)), *velocities)


def logistic(p, w, x, y):
    return functional.binary_cross_entropy_with_logits(x @ w, y)


class Reordered(Derived):
    """A loss whose weights are the second operand."""

    def bound(self, p, prepared):
        call = super().bound(p, prepared)
        return lambda x, w, y: call(w, x, y)


TRAINING = {
    "least_squares": lambda p, x, w, y: w - x.t() @ (x @ w - y) * (0.1 / x.shape[0]),
    "perceptron_sgd": Derived(perceptron, 4, descended, True),
    "perceptron_momentum": Derived(perceptron, 4, with_momentum, True),
    "logistic": Reordered(logistic, 1, lambda p, x, loss, slopes: (loss, x[0] - 0.1 * slopes[0]), True),
}

TABLE = {
    "unary": UNARY, "binary": BINARY, "convert": CONVERT, "chain": CHAIN, "reduce_all": REDUCE, "reduce_axes": REDUCE,
    "argreduce": ARGREDUCE, "scan": SCAN, "rows": ROWS, "columns": COLUMNS, "statistics": STATISTICS,
    "movement": MOVEMENT, "join": JOIN, "take": TAKE, "take_along": TAKE_ALONG, "adding": ADDING, "select": SELECT,
    "sort": SORT, "topk": TOPK, "random": RANDOM, "matmul": MATMUL, "einsum": EINSUM, "layers": LAYERS,
    "convolution": CONVOLUTION, "pooling": POOLING, "attention": {"attention": attention}, "losses": LOSSES,
    "distances": DISTANCES, "n_body": N_BODY, "stencil": STENCIL, "masks": MASKS, "gradients": GRADIENTS,
    "training": TRAINING,
}


def filled(operand, place):
    shape, dtype = operand.stored, getattr(torch, DTYPES[operand.dtype])
    if operand.fill == "bits":
        info = torch.iinfo(dtype)
        return torch.randint(info.min, info.max, shape, device=place, dtype=dtype)
    if operand.fill == "index":
        return torch.randint(0, operand.bound, shape, device=place)
    if operand.fill == "mask":
        return torch.rand(shape, device=place) > 0.5
    if operand.fill == "normal":
        return torch.randn(shape, device=place).to(dtype)
    low, width = {"uniform": (0, 1), "signed_uniform": (-1, 2), "positive": (0.5, 1), "small": (-0.1, 0.2)}[operand.fill]
    return (torch.rand(shape, device=place) * width + low).to(dtype)


def view(x, operand):
    if operand.layout == "transposed":
        return x.transpose(*operand.axes)
    if operand.layout == "sliced":
        return x[operand.slices()]
    if operand.layout == "flipped":
        return x.flip(operand.axes[0])
    if operand.layout == "broadcast":
        return x.expand(operand.shape)
    return x[1:].view(operand.shape) if operand.layout == "offset" else x


def bound(work, prepared=lambda f: f):
    """function(*operands) of the work; prepared: torch.compile or nothing."""
    of, p = work.entry(TABLE), work.parameters
    return of.bound(p, prepared) if isinstance(of, Derived) else prepared(lambda *x: of(p, *x))


def problem_of(work, result):
    parts = list(result) if isinstance(result, (tuple, list)) else [result]
    wrong = work.problem_of_shapes([tuple(part.shape) for part in parts])
    is_float = [part for part in parts if part.is_floating_point()]
    return wrong or ("" if all(bool(torch.isfinite(part).all()) for part in is_float) else "a result is not finite")


def measured(work, place, variant):
    """The work for measuring.main()."""
    work.entry(TABLE)

    def prepare():
        # Adding in a fixed order, for ours does: its bits repeat.
        torch.use_deterministic_algorithms(work.family == "adding")
        compiled = variant == "compiled"
        if compiled:
            torch._dynamo.reset()  # it compiles a function only so often for other shapes
        of = bound(work, (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f))
        draw = lambda: [filled(operand, place) for operand in work.operands]
        first = draw()
        count = measuring.sets_of(sum(x.numel() * x.element_size() for x in first))
        sets = [first] + [draw() for _ in range(count - 1)]
        run = lambda stored: of(*[view(x, operand) for x, operand in zip(stored, work.operands)])
        return [lambda stored=stored: run(stored) for stored in sets], lambda: problem_of(work, run(first))

    return measuring.Work(work.name, prepare, variant=variant, bytes=work.bytes, operations=work.operations)


def works_of(path, place):
    """Eager and, where PyTorch has a compiler, compiled."""
    variants = ["eager"] + (["compiled"] if hasattr(torch, "compile") else [])
    return [measured(work, place, variant) for work in drawn_works.read(path) for variant in variants]
