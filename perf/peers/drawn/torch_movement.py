"""Movement, places, order and random numbers in PyTorch."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None


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

TABLE = {"movement": MOVEMENT, "join": JOIN, "take": TAKE, "take_along": TAKE_ALONG, "adding": ADDING,
         "select": SELECT, "sort": SORT, "topk": TOPK, "random": RANDOM}
