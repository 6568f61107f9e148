"""interpolate and grid_sample."""

import torch
from torch.nn import functional

from comparing.rules import F32, I32, Refused

from .pooling import numbers
from .table import verb
from .tensors import kept, real

MODES = ["nearest", "linear", "cubic"]
NAMES = {"nearest": ["nearest"] * 3, "linear": ["linear", "bilinear", "trilinear"], "cubic": [None, "bicubic", None]}


def pictures(drawn, dtype, axes, special=0):
    spatial = [drawn.choice([1, 2, 3, 5, 6, 8, 13]) for _ in range(axes)]
    return drawn.array(dtype, [drawn.choice([0, 1, 2]), drawn.choice([1, 3])] + spatial, special=special)


def arguments(mode):
    def draw(drawn):
        axes = 2 if mode == "cubic" or drawn.chance(0.5) else drawn.choice([1, 3])
        x = pictures(drawn, drawn.dtype((F32, I32)), axes)
        sizes = numbers(drawn, axes, [1, 2, 3, 4, 6, 10, 16], False)
        if drawn.chance(0.03):
            sizes = drawn.choice([0, -1, [2] * (axes + 2)])
        corners = drawn.chance(0.3) and (mode != "nearest" or drawn.chance(0.1))
        antialias = drawn.chance(0.3) and axes == 2 and (mode != "nearest" or drawn.chance(0.1))
        # Past the last element PyTorch reads what is not x's: a scale goes with the sizes that it makes.
        scale = [drawn.choice([0.5, 1.5, 2.0, 2.5]) for _ in range(axes)] if drawn.chance(0.3) else []
        if scale:
            sizes = [max(1, int(n * factor)) for n, factor in zip(x.shape[2:], scale)]
        return [x, sizes, [mode, corners, antialias, scale]]

    return draw


def interpolate(x, sizes, options):
    mode, corners, antialias, scale = options
    axes = x.dim() - 2
    sizes = sizes if isinstance(sizes, list) else [sizes] * axes
    if len(sizes) != axes or min(sizes) < 1 or (mode == "nearest" and (corners or antialias)):
        raise Refused("sizes or options")
    if scale and not corners:
        # PyTorch takes sizes or a scale, and its operators both.
        operator = {"nearest": f"upsample_nearest{axes}d", "cubic": "upsample_bicubic2d",
                    "linear": ["upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"][axes - 1]}[mode]
        if antialias:
            operator = f"_{operator}_aa"
        call = getattr(torch.ops.aten, operator)
        return call(x, sizes, *scale) if mode == "nearest" else call(x, sizes, False, *scale)
    more = {} if mode == "nearest" else {"align_corners": corners, "antialias": antialias}
    return functional.interpolate(x, sizes, mode=NAMES[mode][axes - 1], **more)


def without_batch(function):
    """PyTorch refuses a batch of none."""

    def reference(x, *more):
        if x.shape[0] != 0:
            return function(x, *more)
        return function(torch.zeros((1, *x.shape[1:]), dtype=x.dtype), *more)[:0]

    return reference


def of_doubles(x, *more):
    return interpolate(x.double(), *more).to(x.dtype)


verb("interpolate", arguments("nearest"), kept(without_batch(of_doubles)))
verb("interpolate", arguments("linear"), real(without_batch(interpolate)), relative=1e-5, absolute=1e-5, times=2,
     line="interpolate linearly")
verb("interpolate", arguments("cubic"), real(without_batch(interpolate)), relative=1e-5, absolute=1e-5,
     line="interpolate by cubics")

PADDING = {"constant": "zeros", "edge": "border", "reflect": "reflection"}


def grid_arguments(mode):
    def draw(drawn):
        axes = 2 if mode == "cubic" or drawn.chance(0.6) else 3
        x = pictures(drawn, F32, axes)
        grid = [x.shape[0]] + [drawn.choice([1, 2, 5]) for _ in range(axes)] + [axes]
        if drawn.chance(0.03):
            grid = drawn.choice([[*grid[:-1], axes + 1], [x.shape[0] + 1, *grid[1:]], grid[1:]])
        # Multiples of 1/64 moved away from ties, below 2.
        places = (drawn.array(I32, grid) % 256 - 128) / 64.0 + 1 / 512
        return [x, places.astype(F32), [mode, drawn.choice(list(PADDING)), drawn.flag()]]

    return draw


def grid_sample(x, grid, options):
    mode, padding, corners = options
    if grid.dim() != x.dim() or grid.shape[0] != x.shape[0] or grid.shape[-1] != x.dim() - 2:
        raise Refused("another grid")
    if x.shape[0] == 0:
        return x.new_zeros((0, x.shape[1], *grid.shape[1:-1]))
    name = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}[mode]
    return functional.grid_sample(x, grid, name, PADDING[padding], corners)


for kind in MODES:
    verb("grid_sample", grid_arguments(kind), real(grid_sample), relative=5e-5, absolute=5e-5,
         line=f"grid_sample, {kind}")
