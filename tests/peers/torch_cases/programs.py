"""Programs of several verbs: their values, and the gradients of these by every argument of f32.

A program's steps are drawn one by one; both sides get them as data (steps/program.py). How far rounding may lead is
found by computing in double again with every value and every cotangent off by some eps: where an element follows from
which of two nearly equal numbers is larger, its bound is large.
"""

import torch

from comparing.rules import Near

from .steps import elements, movement, networks, rows  # noqa: F401 (these fill the table)
from .steps.program import Program, results_of, taken
from .steps.table import STEPS
from .table import verb
from .tensors import exact

SHAPES = [[13], [1, 5], [4, 3], [5, 13], [8, 8], [2, 3, 4], [3, 1, 6], [2, 4, 7], [1, 2, 5, 4], [2, 4, 6, 5],
          [1, 2, 4, 3, 3]]
OFF = 2.0**-20  # deviation of what a value is off by, in its own size and, to a share, in the largest element's
SHARE = 0.02
TIMES = 3
FLOOR = 4e-6  # of the largest element of all: what cancels in a verb is seen by none of its operands


def draw(drawn):
    """Leaves, steps and the numbers of the wanted values."""
    program = Program(drawn)
    for _ in range(drawn.randint(1, 3)):
        program.add_leaf(drawn.choice(SHAPES))
    lines, left = list(STEPS.values()), drawn.randint(2, 14)
    weights = [line.weight for line in lines]
    while left > 0:
        left -= program.add(drawn.choices(lines, weights)[0])
    wanted = program.wanted()
    return ["program", [program.leaves, program.steps, wanted]] if wanted else draw(drawn)


def off(x, generator):
    """x, where `generator` is none, or off by some eps, as its cotangent then is."""
    if generator is None or x.dtype != torch.float64:
        return x

    def noise(like):
        size = like.abs() + SHARE * like.abs().max() if like.numel() else like
        return OFF * size * torch.randn(like.shape, dtype=like.dtype, generator=generator)

    y = x + noise(x.detach())
    if y.requires_grad:
        y.register_hook(lambda cotangent: cotangent + noise(cotangent))
    return y


def computed(leaves, steps, wanted, generator=None, table=STEPS):
    """The wanted values, and the gradients of their sum, weighted by -3 to 3 in turn."""
    inputs = []

    def real(array):
        inputs.append(exact(array).requires_grad_())
        return off(inputs[-1], generator)

    values = taken(leaves, real=real)
    for name, arguments, _ in steps:
        values += [off(y, generator) for y in results_of(table[name], taken(arguments, values, real))]
    results = [values[i] for i in wanted]
    total = sum((y * (torch.arange(y.numel(), dtype=torch.float64) % 7 - 3).reshape(y.shape)).sum() for y in results)
    gradients = torch.autograd.grad(total, inputs, allow_unused=True) if total.requires_grad else [None] * len(inputs)
    results += [torch.zeros_like(x) if one is None else one for x, one in zip(inputs, gradients)]
    return [one.detach() for one in results]


def with_doubt(name, program, table=STEPS):
    """Each result within several times what it is off by where all is off by some eps."""
    generator = torch.Generator().manual_seed(1)
    results = computed(*program, table=table)
    others = [computed(*program, generator, table) for _ in range(TIMES)]
    floor = FLOOR * max(1.0, *(float(one.abs().max()) for one in results))
    apart = [torch.stack([(other - one).abs() for other in of]).amax(0) for one, *of in zip(results, *others)]
    return [Near(one.numpy(), (8 * off_by + floor).numpy()) for one, off_by in zip(results, apart)]


verb("with_gradient", draw, with_doubt, line="gradient of programs", times=4, programs=4)
