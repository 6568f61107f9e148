"""Maps in PyTorch."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None


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

TABLE = {"unary": UNARY, "binary": BINARY, "convert": CONVERT, "chain": CHAIN}
