"""The drawn works in PyTorch, eager and compiled; by family and verb in drawn/torch_*.py. Places are i64, as PyTorch's are; a
flipped operand is flipped by the call, for no view of PyTorch's runs backwards."""

try:
    import torch
except ImportError:  # its tables are looked at without it
    torch = None

import drawn_works
import measuring
from drawn import torch_derivatives, torch_maps, torch_movement, torch_points, torch_products, torch_reductions
from drawn.torch_derivatives import Derived

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "u8": "uint8", "i8": "int8",
          "boolean": "bool"}


TABLE = {**torch_maps.TABLE, **torch_reductions.TABLE, **torch_movement.TABLE, **torch_products.TABLE, **torch_points.TABLE,
         **torch_derivatives.TABLE}


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
    """But for a flip, which is the function's."""
    if operand.layout == "transposed":
        return x.transpose(*operand.axes)
    if operand.layout == "sliced":
        return x[operand.slices()]
    if operand.layout == "broadcast":
        return x.expand(operand.shape)
    return x[1:].view(operand.shape) if operand.layout == "offset" else x


def flips_of(work):
    """The axis of each flipped operand, by the operand's place."""
    return {i: operand.axes[0] for i, operand in enumerate(work.operands) if operand.layout == "flipped"}


def bound(work, flips, prepared=lambda f: f):
    """function(*views) of the work; prepared: torch.compile or nothing."""
    of, p = work.entry(TABLE), work.parameters

    def turned(x):
        return [each.flip(flips[i]) if i in flips else each for i, each in enumerate(x)]

    if isinstance(of, Derived):
        call = of.bound(p, prepared)
        return lambda *x: call(*turned(x))
    return prepared(lambda *x: of(p, *turned(x)))


def problem_of(work, result):
    parts = list(result) if isinstance(result, (tuple, list)) else [result]
    wrong = work.problem_of_shapes([tuple(part.shape) for part in parts])
    is_float = [part for part in parts if part.is_floating_point()]
    return wrong or ("" if all(bool(torch.isfinite(part).all()) for part in is_float) else "a result is not finite")


def add_in_order(is_wanted):
    """Ours adds in a fixed order: its bits repeat. Memory that is not written yet needs no filling for that."""
    torch.use_deterministic_algorithms(is_wanted)
    if hasattr(torch.utils, "deterministic"):
        torch.utils.deterministic.fill_uninitialized_memory = False


def measured(work, place, variant):
    """The work for measuring.main()."""
    work.entry(TABLE)

    def prepare():
        add_in_order(work.family == "adding")
        compiled = variant == "compiled"
        if compiled:
            torch.compiler.reset()  # it compiles a function only so often for other shapes
        of = bound(work, flips_of(work), (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f))
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
