"""Maps in NumPy."""

try:
    import numpy as np
except ImportError:  # its tables are looked at without it
    np = None


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

TABLE = {"unary": UNARY, "binary": BINARY, "convert": CONVERT, "chain": CHAIN}
