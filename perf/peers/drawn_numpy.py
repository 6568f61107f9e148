"""The drawn works in NumPy: what a user without Eglantine would write. By family and verb in drawn/numpy_*.py."""

try:
    import numpy as np
except ImportError:  # its tables are looked at without it
    np = None

import drawn_works
import measuring
from drawn import numpy_maps, numpy_movement, numpy_points, numpy_products, numpy_reductions

DTYPES = {"f32": "float32", "f16": "float16", "i32": "int32", "u32": "uint32", "i8": "int8", "u8": "uint8",
          "boolean": "bool"}


TABLE = {**numpy_maps.TABLE, **numpy_reductions.TABLE, **numpy_movement.TABLE, **numpy_products.TABLE, **numpy_points.TABLE}

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
