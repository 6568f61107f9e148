#!/usr/bin/env python3
"""The works of eglantine_bench in PyTorch: eager, and compiled where that can fuse something.

    torch_peer.py [--device cuda|cpu] [--set gpu|software|classic|sweep|order|narrow|network|training|smoke | --works FILE]
                  [--filter REGEX] [--quick] [--json FILE]

f32 but in the set narrow and where a drawn work says so, TF32 off. Device time is taken by CUDA events around warm calls, as eglantine_bench takes it by
timestamps.
"""

import math
import subprocess
import sys

try:
    import torch
except ImportError:
    sys.exit("torch_peer.py: this Python has no PyTorch (https://pytorch.org says how to install it)")

import drawn_torch
import measuring
import torch_network
import torch_training
from measuring import Work

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.set_float32_matmul_precision("highest")
torch.manual_seed(1)

PLACE = "cuda" if torch.cuda.is_available() else "cpu"


def take_device_option():
    """--device, which the options that peers share do not know."""
    global PLACE
    if "--device" in sys.argv:
        at = sys.argv.index("--device")
        if at + 1 == len(sys.argv):
            sys.exit("torch_peer.py: --device wants cuda or cpu")
        PLACE = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    if PLACE == "cuda" and not torch.cuda.is_available():
        sys.exit("torch_peer.py: PyTorch finds no CUDA device; --device cpu measures its CPU side")


class Place:
    """Where tensors live, and its clock."""

    def __init__(self):
        self.cuda = PLACE == "cuda"
        self.software = not self.cuda
        self.effort = measuring.Effort() if self.cuda else measuring.Effort(0.5, 0.15, 9)
        self.device_seconds = self.seconds_by_events if self.cuda else None

    def synchronize(self):
        if self.cuda:
            torch.cuda.synchronize()

    @staticmethod
    def bytes_of(result):
        parts = result if isinstance(result, (tuple, list)) else (result,)
        return sum(part.numel() * part.element_size() for part in parts if isinstance(part, torch.Tensor))

    @staticmethod
    def seconds_by_events(run):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3

    def reset_peak(self):
        if self.cuda:
            torch.cuda.reset_peak_memory_stats()

    def peak_bytes(self):
        return torch.cuda.max_memory_allocated() if self.cuda else None

    def trim(self):
        if self.cuda:
            torch.cuda.empty_cache()


def uniform(*shape):
    return torch.rand(shape, device=PLACE)


def signed(*shape):
    return torch.rand(shape, device=PLACE) * 2 - 1


def normal(*shape):
    return torch.randn(shape, device=PLACE)


def size(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def over(name, make, verb, check=None, **costs):
    """A verb over sets of inputs that make() gives; check(result, *inputs) is true when a result is right."""

    def prepare():
        first = make()
        count = measuring.sets_of(Place.bytes_of(first))
        sets = [first] + [make() for _ in range(count - 1)]
        calls = [lambda inputs=inputs: verb(*inputs) for inputs in sets]
        right = lambda: "" if check is None or bool(check(verb(*first), *first)) else "not what it should be"
        return calls, right

    return Work(name, prepare, variant=costs.pop("variant", "eager"), verb=verb, **costs)


def both(name, make, verb, check=None, **costs):
    """Eager, and compiled where this version can."""
    eager = over(name, make, verb, check, **costs)
    if not hasattr(torch, "compile"):
        return [eager]
    return [eager, over(name, make, torch.compile(verb, dynamic=False), check, variant="compiled", **costs)]


def close(actual, expected, relative=1e-4, absolute=1e-5):
    return torch.allclose(actual.double(), expected.double(), relative, absolute)


PIECE = slice(0, 65536)


def copy(n):
    return [over(f"copy/{size(n)}", lambda: [uniform(n)], lambda a: a.clone(), torch.equal, bytes=8 * n)]


def exp(n, name=None):
    return [over(name or f"exp/{size(n)}", lambda: [signed(n)], torch.exp,
                 lambda y, a: close(y[PIECE], a[PIECE].double().exp()), bytes=8 * n, operations=n)]


def mul(n, name=None):
    return [over(name or f"mul/{size(n)}", lambda: [uniform(n), uniform(n)], lambda a, b: a * b,
                 lambda y, a, b: close(y[PIECE], a[PIECE].double() * b[PIECE]), bytes=12 * n, operations=n)]


def mul_transposed(n, name):
    return both(name, lambda: [uniform(n, n), uniform(n, n)],
                lambda a, b: a * b.reshape(n * n // 16, 16).transpose(0, 1).reshape(n, n), bytes=12 * n * n,
                operations=n * n)


def where(n):
    return [over(f"where/{size(n)}", lambda: [uniform(n) > 0.5, uniform(n), uniform(n)], torch.where,
                 lambda y, m, a, b: torch.equal(y[PIECE][m[PIECE]], a[PIECE][m[PIECE]]), bytes=13 * n)]


def greater(n):
    return [over(f"greater/{size(n)}", lambda: [uniform(n), uniform(n)], torch.gt,
                 lambda y, a, b: torch.equal(y[PIECE], a[PIECE] - b[PIECE] > 0), bytes=9 * n, operations=n)]


def where_compare(n):
    return both(f"where_compare/{size(n)}", lambda: [uniform(n), uniform(n)], lambda a, b: torch.where(a > b, a, b),
                lambda y, a, b: torch.equal(y, torch.maximum(a, b)), bytes=12 * n, operations=n)


def momentum_step(w, v, g):
    v = v * 0.9 + g
    return w - v * 0.01, v


def momentum(n):
    return both(f"momentum/{size(n)}", lambda: [normal(n), normal(n), normal(n)], momentum_step,
                lambda y, w, v, g: close(y[0][PIECE], w[PIECE] - 0.01 * (0.9 * v[PIECE].double() + g[PIECE])),
                bytes=20 * n, operations=4 * n)


def adam_step(w, m, v, g):
    m, v = m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001
    return w - m * 0.001 / (v.sqrt() + 1e-8), m, v


def adam(n):
    return both(f"adam/{size(n)}", lambda: [normal(n), normal(n), uniform(n), normal(n)], adam_step,
                lambda y, w, m, v, g: close(y[2][PIECE], 0.999 * v[PIECE].double() + 0.001 * g[PIECE].square()),
                bytes=28 * n, operations=12 * n)


def total(n, name=None):
    return [over(name or f"sum/{size(n)}", lambda: [uniform(n)], torch.sum,
                 lambda y, a: close(y, a.sum(dtype=torch.float64)), bytes=4 * n, operations=n)]


def largest(n):
    return [over(f"max/{size(n)}", lambda: [signed(n)], torch.max, lambda y, a: (a <= y).all(), bytes=4 * n,
                 operations=n)]


def elements(shape):
    count = 1
    for length in shape:
        count *= length
    return count


def sum_axis(shape, axis, name=None):
    count = elements(shape)
    return [over(name or f"sum_axis{axis}/{'x'.join(map(str, shape))}", lambda: [uniform(*shape)],
                 lambda a: a.sum(dim=axis), lambda y, a: close(y, a.sum(dim=axis, dtype=torch.float64)),
                 bytes=4 * (count + count // shape[axis]), operations=count)]


def argmax(rows, columns):
    return [over(f"argmax/{rows}x{columns}", lambda: [signed(rows, columns)], lambda a: a.argmax(dim=-1),
                 lambda y, a: torch.equal(a.gather(1, y[:, None])[:, 0], a.amax(dim=-1)),
                 bytes=4 * rows * (columns + 2), operations=rows * columns)]


def fused_sum(n):
    return both(f"exp_mul_add_sum/{size(n)}", lambda: [uniform(n), uniform(n)],
                lambda a, b: torch.exp(a * b + a).sum(),
                lambda y, a, b: close(y, torch.exp(a * b + a).sum(dtype=torch.float64)), bytes=8 * n, operations=4 * n)


def over_rows(name, shape, verb, check=None, written=None):
    count = elements(shape)
    return both(f"{name}/{'x'.join(map(str, shape))}", lambda: [normal(*shape)], verb, check,
                bytes=4 * (count + (count if written is None else written)), operations=4 * count)


def softmax(*shape):
    return over_rows("softmax", shape, lambda a: torch.softmax(a, -1),
                     lambda y, a: close(y[:16], torch.softmax(a[:16].double(), -1)))


def log_softmax(*shape):
    return over_rows("log_softmax", shape, lambda a: torch.log_softmax(a, -1),
                     lambda y, a: close(y[:16], torch.log_softmax(a[:16].double(), -1)))


def logsumexp(*shape):
    return over_rows("logsumexp", shape, lambda a: torch.logsumexp(a, -1),
                     lambda y, a: close(y[:16], torch.logsumexp(a[:16].double(), -1)), shape[0])


def softmax_axis0(*shape):
    return over_rows("softmax_axis0", shape, lambda a: torch.softmax(a, 0),
                     lambda y, a: close(y[:, :16], torch.softmax(a[:, :16].double(), 0)))


def variance(*shape):
    return over_rows("var", shape, lambda a: torch.var(a, -1, unbiased=False),
                     lambda y, a: close(y[:16], torch.var(a[:16].double(), -1, unbiased=False)), shape[0])


def transpose(n):
    return [over(f"transpose_copy/{n}x{n}", lambda: [uniform(n, n)], lambda a: a.t().contiguous(),
                 lambda y, a: torch.equal(y[:64], a[:, :64].t()), bytes=8 * n * n)]


def added(name, n, other, verb):
    return [over(f"{name}/{n}x{n}", lambda: [uniform(n, n), uniform(*other)], verb,
                 bytes=4 * (2 * n * n + elements(other)), operations=n * n)]


def product(name, left, right, m, k, n, batch=1, verb=torch.matmul):
    return [over(name, lambda: [signed(*left), signed(*right)], verb, bytes=4 * batch * (m * k + k * n + m * n),
                 operations=2 * batch * m * k * n)]


def matmul(m, k, n):
    name = f"matmul/{n}" if m == k == n else f"matmul/{m}x{k}x{n}"
    return [over(name, lambda: [signed(m, k), signed(k, n)], torch.matmul,
                 lambda y, a, b: close(y[:4], a[:4].double() @ b.double(), 1e-3, 1e-3),
                 bytes=4 * (m * k + k * n + m * n), operations=2 * m * k * n)]


def linear_gelu(rows, inputs, units):
    def verb(x, w, b):
        return torch.nn.functional.gelu(x @ w + b)

    return both(f"linear_gelu/{rows}x{inputs}x{units}",
                lambda: [signed(rows, inputs), signed(inputs, units), signed(units)], verb,
                lambda y, x, w, b: close(y[:4], verb(x[:4].double(), w.double(), b.double()), 1e-3, 1e-3),
                bytes=4 * (rows * inputs + inputs * units + rows * units),
                operations=2 * rows * units * (inputs + 1))


def cumsum(n):
    return [over(f"cumsum/{size(n)}", lambda: [uniform(n)], lambda a: a.cumsum(0),
                 lambda y, a: close(y[-1], a.sum(dtype=torch.float64)), bytes=8 * n, items=n)]


def cumsum_rows(rows, columns):
    count = rows * columns
    return [over(f"cumsum_rows/{rows}x{columns}", lambda: [uniform(rows, columns)], lambda a: a.cumsum(-1),
                 lambda y, a: close(y[:, -1], a.sum(-1, dtype=torch.float64)), bytes=8 * count, items=count)]


def sort(n, floats):
    # PyTorch sorts no u32; i32 is as wide.
    make = (lambda: [normal(n)]) if floats else (
        lambda: [torch.randint(-2**31, 2**31 - 1, (n,), device=PLACE, dtype=torch.int32)])
    return [over(f"sort_{'f32' if floats else 'u32'}/{size(n)}", make, lambda a: tuple(torch.sort(a)),
                 lambda y, a: torch.equal(a[y[1]], y[0]) and (y[0][1:] >= y[0][:-1]).all(), bytes=12 * n, items=n)]


def sort_rows(rows, columns):
    count = rows * columns
    return [over(f"sort_rows/{rows}x{columns}", lambda: [normal(rows, columns)], lambda a: tuple(torch.sort(a, dim=-1)),
                 lambda y, a: torch.equal(a.gather(1, y[1]), y[0]), bytes=12 * count, items=count)]


def argsort(*shape):
    return [over(f"argsort/{size(shape[0]) if len(shape) == 1 else 'x'.join(map(str, shape))}", lambda: [normal(*shape)],
                 lambda a: torch.argsort(a, dim=-1, stable=True),
                 lambda y, a: (a.gather(-1, y).diff() >= 0).all(), bytes=8 * math.prod(shape), items=math.prod(shape))]


def take(n, source):
    return [over(f"take/{size(n)}", lambda: [uniform(source), torch.randint(0, source, (n,), device=PLACE)],
                 lambda a, i: a.index_select(0, i), lambda y, a, i: torch.equal(y[:64], a[i[:64]]), bytes=12 * n,
                 items=n)]


def take_rows(rows, columns):
    return [over(f"take_rows/{rows}x{columns}",
                 lambda: [uniform(rows, columns), torch.randint(0, rows, (rows,), device=PLACE)],
                 lambda a, i: a.index_select(0, i), lambda y, a, i: torch.equal(y[:64], a[i[:64]]),
                 bytes=4 * (2 * rows * columns + rows))]


def scatter_add(rows, columns):
    return [over(f"scatter_add/{rows}x{columns}",
                 lambda: [uniform(rows, columns), torch.randint(0, rows, (rows, columns), device=PLACE),
                          uniform(rows, columns)],
                 lambda a, i, u: a.scatter_add(0, i, u), bytes=16 * rows * columns)]


def scatter_add_flat(n):
    return [over(f"scatter_add_flat/{size(n)}",
                 lambda: [uniform(n), torch.randint(0, n, (n,), device=PLACE), uniform(n)],
                 lambda a, i, u: a.scatter_add(0, i, u), bytes=16 * n, items=n)]


def chain(steps):
    def run(a):
        for _ in range(steps):
            a = a + 1
        return a

    return [over("chain/64", lambda: [uniform(64)], run, lambda y, a: close(y, a + steps), steps=steps)]


def read_number():
    return [over("read_number/1", lambda: [uniform(1)], lambda a: (a * 2).item() and None, on_host=True)]


def transfers(n):
    def host():
        return torch.arange(n, dtype=torch.float32)

    def upload():
        data = host()
        return [lambda: data.to(PLACE, copy=True)], lambda: "" if torch.equal(data.to(PLACE).cpu(), data) else "differs"

    def download():
        data = host().to(PLACE)
        return [lambda: data.to("cpu", copy=True) is None or None], lambda: ""

    def download_into():
        data, out = host().to(PLACE), torch.empty(n)
        return [lambda: out.copy_(data) is None or None], lambda: "" if torch.equal(out.copy_(data), data.cpu()) else "differs"

    return [Work(f"{name}/{size(n)}", prepare, bytes=4 * n, on_host=True, variant="eager")
            for name, prepare in (("upload", upload), ("download", download), ("download_into", download_into))]


def first_result():
    n = 1 << 20
    program = f"""import os, torch
x = torch.full(({n},), 0.5).to("{PLACE}")
print(torch.exp(x).sum().item(), flush=True)
os._exit(0)"""

    def run():
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)

    return [Work(f"first_result/{size(n)}", lambda: ([run], lambda: ""), on_host=True, variant="eager")]


def tile_sums(most):
    works, side = [], 32
    while side * side <= most:
        works.append(over(f"tile_sum/{side}x{side}", lambda side=side: [uniform(side, side)],
                          lambda a, side=side: a.reshape(side // 16, 16, side // 16, 16).sum((1, 3)),
                          lambda y, a: close(y[0, 0], a[:16, :16].sum(dtype=torch.float64)), bytes=4 * side * side,
                          operations=side * side))
        side *= 2
    return works


# --- f16, bf16, i8 and u8

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "u8": torch.uint8, "i8": torch.int8}


def bytes_in(dtype):
    return torch.empty(0, dtype=DTYPES[dtype]).element_size()


def typed(operation, dtype):
    return operation if dtype == "f32" else f"{operation}_{dtype}"


def filled(dtype, make, *shape):
    if dtype in ("u8", "i8"):
        low = 0 if dtype == "u8" else -128
        return torch.randint(low, low + 256, shape, device=PLACE, dtype=DTYPES[dtype])
    return make(*shape).to(DTYPES[dtype])


def over_narrow(operation, dtype, shape, inputs, verb, check=None, make=uniform, written=None, operations=0):
    count = math.prod(shape)
    text = size(count) if len(shape) == 1 else "x".join(map(str, shape))
    moved = inputs * count + (count if written is None else written)
    return [over(f"{typed(operation, dtype)}/{text}", lambda: [filled(dtype, make, *shape) for _ in range(inputs)], verb,
                 check, bytes=bytes_in(dtype) * moved, operations=operations * count)]


def vector_maps(dtype, n):
    works = over_narrow("copy", dtype, (n,), 1, lambda a: a.clone(), torch.equal)
    works += over_narrow("mul", dtype, (n,), 2, lambda a, b: a * b, operations=1)
    return works


def half_works(dtype, n, side):
    works = vector_maps(dtype, n)
    works += over_narrow("exp", dtype, (n,), 1, torch.exp, make=signed, operations=1)
    works += over_narrow("sum", dtype, (n,), 1, torch.sum, make=signed, written=1, operations=1)
    works += over_narrow("softmax", dtype, (side, side), 1, lambda a: torch.softmax(a, -1),
                         lambda y, a: close(y[:16], torch.softmax(a[:16].double(), -1), 1e-2, 1e-5), make=normal,
                         operations=4)
    works += over_narrow("transpose_copy", dtype, (side, side), 1, lambda a: a.t().contiguous(),
                         lambda y, a: torch.equal(y[:64], a[:, :64].t()))
    for axis in (0, 1):
        works += over_narrow(f"sum_axis{axis}", dtype, (side, side), 1, lambda a, axis=axis: a.sum(dim=axis),
                             written=side, operations=1)
    return works + conversion(dtype, "f32", n) + conversion("f32", dtype, n)


def conversion(source, to, n):
    return [over(f"{source}_to_{to}/{size(n)}", lambda: [filled(source, signed, n)], lambda a: a.to(DTYPES[to]),
                 bytes=(bytes_in(source) + bytes_in(to)) * n)]


def byte_works(n):
    works = vector_maps("u8", n) + over_narrow("sum", "u8", (n,), 1, torch.sum, written=1, operations=1)
    return works + vector_maps("i8", n) + both(f"u8_scaled/{size(n)}", lambda: [filled("u8", uniform, n)],
                                               lambda a: a.to(torch.float32) * (1 / 255), bytes=5 * n)


def vector_products(m, k):
    works = []
    for dtype in ("f16", "bf16", "f32"):
        for n in (1, 8):
            works += [over(f"{typed('matmul', dtype)}/{m}x{k}x{n}",
                           lambda dtype=dtype, n=n: [filled(dtype, signed, m, k), filled(dtype, signed, k, n)],
                           torch.matmul, bytes=bytes_in(dtype) * (m * k + k * n + m * n),
                           operations=2 * m * k * n)]
        works += [over(f"{typed('matmul_rows', dtype)}/8x{k}x{m}",
                       lambda dtype=dtype: [filled(dtype, signed, 8, k), filled(dtype, signed, m, k)],
                       lambda x, w: x @ w.t(), bytes=bytes_in(dtype) * (m * k + 8 * k + 8 * m),
                       operations=16 * m * k)]
    return works


def scaled_product(m, k):
    """i8 weights with an f16 scale for each 32, times a vector."""
    def verb(w, s, x):
        return ((w.float() * s.float()).reshape(m, k) @ x)

    return both(f"i8_scaled_matmul/{m}x{k}x1",
                lambda: [filled("i8", uniform, m, k // 32, 32), filled("f16", uniform, m, k // 32, 1), signed(k)], verb,
                bytes=m * k + m * k // 16 + 4 * (k + m), operations=2 * m * k)


def narrow_works(hardware):
    n, side = (1 << 28, 16384) if hardware else (1 << 22, 2048)
    works = half_works("f16", n, side) + half_works("bf16", n, side) + byte_works(n)
    if not hardware:
        return works + vector_products(1024, 1024) + scaled_product(1024, 1024)
    for rows, inputs in ((4096, 4096), (14336, 4096), (4096, 14336), (128256, 2048)):
        works += vector_products(rows, inputs)
    return works + scaled_product(14336, 4096)


def gpu_works():
    n, side = 1 << 28, 16384
    works = copy(n) + exp(n) + mul(n) + where(n) + greater(n) + where_compare(n) + total(n) + largest(n)
    works += sum_axis((side, side), 0) + sum_axis((side, side), 1) + sum_axis((65536, 64, 64), 1) + argmax(65536, 1024)
    works += fused_sum(n) + linear_gelu(8192, 1024, 4096)
    works += softmax(side, side) + log_softmax(side, side) + logsumexp(side, side) + variance(side, side)
    works += softmax_axis0(side, side) + transpose(side)
    works += added("add_row", side, (side,), torch.add) + added("add_column", side, (side, 1), torch.add)
    works += added("add_permuted", side, (side, side), lambda a, b: a + b.t()) + momentum(n // 4) + adam(n // 4)
    for length in (1024, 2048, 4096, 8192):
        works += matmul(length, length, length)
    works += matmul(8192, 64, 8192) + matmul(64, 8192, 64) + matmul(4096, 4096, 1)
    works += product("matmul_batch/4096x64x64", (4096, 64, 64), (4096, 64, 64), 64, 64, 64, 4096)
    works += product("matmul_a_transposed/1021x509x2027", (509, 1021), (509, 2027), 1021, 509, 2027,
                     verb=lambda a, b: a.t() @ b)
    works += cumsum(n) + cumsum_rows(65536, 4096) + sort(1 << 26, False) + sort(1 << 26, True) + sort_rows(65536, 1024)
    works += argsort(65536, 1024) + take(1 << 26, 1 << 24) + take_rows(1 << 20, 64) + scatter_add(65536, 1024)
    return works + chain(1000) + read_number() + transfers(n) + first_result()


def software_works(small):
    n, side = (1 << 12, 64) if small else (1 << 22, 2048)
    works = copy(n) + exp(n) + mul(n) + where(n) + greater(n) + total(n) + largest(n) + sum_axis((side, side), 0)
    works += sum_axis((side, side), 1) + argmax(side if small else 4096, side if small else 1024) + fused_sum(n)
    works += softmax(side, side) + transpose(side)
    works += added("add_row", side, (side,), torch.add) + added("add_column", side, (side, 1), torch.add)
    works += added("add_permuted", side, (side, side), lambda a, b: a + b.t()) + momentum(n // 4) + adam(n // 4)
    works += matmul(64, 64, 64) if small else matmul(512, 512, 512) + matmul(1024, 1024, 1024)
    return works + chain(10 if small else 100) + read_number() + transfers(n) + first_result()


def classic_works():
    works = []
    for n in (64, 128, 256, 512, 1024):
        works += exp(n * n, f"exp/{n}") + mul(n * n, f"mul/{n}")
        works += mul_transposed(n, f"mul_transposed_reshaped/{n}") + matmul(n, n, n)
    for n in (64, 128, 256, 512, 1024, 2048):
        works += sum_axis((n, n), 0, f"sum_axis0/{n}") + total(n * n, f"sum_scalar/{n}")
    return works


def sweep_works():
    works = []
    for exponent in range(10, 29 if PLACE == "cuda" else 25, 2):
        n = 1 << exponent
        works += copy(n) + mul(n) + exp(n) + total(n) + fused_sum(n)
    n = 64
    while n <= (8192 if PLACE == "cuda" else 1024):
        works += matmul(n, n, n)
        n *= 2
    return works


def order_works():
    rows, ordered = (65536, 1 << 26) if PLACE == "cuda" else (1024, 1 << 20)
    works = cumsum(1 << 28 if PLACE == "cuda" else 1 << 22) + cumsum_rows(rows, 4096)
    works += sort(ordered, False) + sort(ordered, True) + sort_rows(rows, 1024) + argsort(rows, 1024)
    works += take(ordered, ordered // 4) + take_rows(ordered // 64, 64) + scatter_add(rows, 1024)
    for exponent in range(10, 29 if PLACE == "cuda" else 23, 2):
        n = 1 << exponent
        works += sort(n, False) + argsort(n) + take(n, n // 4) + scatter_add_flat(n)
        if exponent < (28 if PLACE == "cuda" else 22):
            works += cumsum(n)
    return works + tile_sums(1 << 28 if PLACE == "cuda" else 1 << 22)


def works_of(name):
    sets = {"gpu": gpu_works, "software": lambda: software_works(False), "smoke": lambda: software_works(True),
            "classic": classic_works, "sweep": sweep_works, "order": order_works,
            "narrow": lambda: narrow_works(PLACE == "cuda"),
            "network": lambda: torch_network.works_of(sys.modules[__name__], PLACE == "cuda"),
            "training": lambda: torch_training.works_of(sys.modules[__name__], PLACE == "cuda")}
    if name not in sets:
        sys.exit(f"torch_peer.py: there is no set \"{name}\"; the sets are {', '.join(sets)}")
    return sets[name]()


def run():
    take_device_option()
    chosen = measuring.options(__doc__.splitlines()[0], ["gpu", "software", "classic", "sweep", "order", "narrow", "network", "training",
                                "smoke"])
    if chosen.works:
        works = measuring.read_works(lambda path: drawn_torch.works_of(path, PLACE), chosen.works)
    else:
        works = [work for name in (chosen.set or ("gpu" if PLACE == "cuda" else "software")).split(",")
                 for work in works_of(name)]
    cuda = PLACE == "cuda"
    header = {"program": "torch", "variant": "", "library": f"PyTorch {torch.__version__}",
              "device": {"name": torch.cuda.get_device_name() if cuda else measuring.host(),
                         "driver": f"CUDA {torch.version.cuda}" if cuda else "", "kind": PLACE, "software": not cuda}}
    return measuring.main(chosen, works, Place(), header)


if __name__ == "__main__":
    sys.exit(run())
