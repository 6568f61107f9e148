#!/usr/bin/env python3
"""The works of eglantine_bench in NumPy: what a user without Eglantine would write.

    numpy_peer.py [--set software|classic|sweep|order|narrow|smoke | --works FILE] [--filter REGEX] [--quick]
                  [--json FILE] [--list]

OpenBLAS works on all cores; OPENBLAS_NUM_THREADS says otherwise. Element-wise work runs on one, since that is what NumPy
does. Results go into new arrays, as in `c = a * b`.
"""

import os
import subprocess
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", str(len(os.sched_getaffinity(0))))

try:
    import numpy as np
except ImportError:
    sys.exit("numpy_peer.py: this Python has no NumPy (Debian: apt-get install python3-numpy, then /usr/bin/python3)")

import drawn_numpy
import measuring
from measuring import Work

F32 = 4
random = np.random.default_rng(1)



class Host:
    """The processor: its clock is the wall's."""

    effort = measuring.Effort(0.5, 0.15, 9)
    device_seconds = None
    software = True

    @staticmethod
    def synchronize():
        pass

    @staticmethod
    def bytes_of(result):
        parts = result if isinstance(result, tuple) else (result,)
        return sum(part.nbytes for part in parts if isinstance(part, np.ndarray))

    @staticmethod
    def reset_peak():
        pass

    @staticmethod
    def peak_bytes():
        return None

    @staticmethod
    def trim():
        pass


def uniform(*shape):
    return random.random(shape, dtype=np.float32)


def signed(*shape):
    return uniform(*shape) * np.float32(2) - np.float32(1)


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


def size(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def over(name, make, verb, check=None, **costs):
    """A verb over sets of inputs that make() gives; check(result, *inputs) is true when a result is right."""

    def prepare():
        first = make()
        count = measuring.sets_of(sum(x.nbytes for x in first))
        sets = [first] + [make() for _ in range(count - 1)]
        calls = [lambda inputs=inputs: verb(*inputs) for inputs in sets]
        right = lambda: "" if check is None or check(verb(*first), *first) else "not what it should be"
        return calls, right

    return Work(name, prepare, **costs)


def exact(x):
    return x.astype(np.float64)


def copy(n):
    return over(f"copy/{size(n)}", lambda: [uniform(n)], lambda a: a.copy(), lambda y, a: (y == a).all(), bytes=8 * n)


def exp(n, name=None):
    return over(name or f"exp/{size(n)}", lambda: [signed(n)], np.exp,
                lambda y, a: np.allclose(y, np.exp(exact(a)), 1e-5), bytes=8 * n, operations=n)


def mul(n, name=None):
    return over(name or f"mul/{size(n)}", lambda: [uniform(n), uniform(n)], lambda a, b: a * b,
                lambda y, a, b: np.allclose(y, exact(a) * b, 1e-6), bytes=12 * n, operations=n)


def mul_transposed(n, name):
    return over(name, lambda: [uniform(n, n), uniform(n, n)],
                lambda a, b: a * b.reshape(n * n // 16, 16).T.reshape(n, n), bytes=12 * n * n, operations=n * n)


def where(n):
    return over(f"where/{size(n)}", lambda: [uniform(n) > 0.5, uniform(n), uniform(n)], np.where, bytes=13 * n)


def greater(n):
    return over(f"greater/{size(n)}", lambda: [uniform(n), uniform(n)], np.greater, bytes=9 * n, operations=n)


def momentum_step(w, v, g):
    v = v * np.float32(0.9) + g
    return w - v * np.float32(0.01), v


def momentum(n):
    return over(f"momentum/{size(n)}", lambda: [normal(n), normal(n), normal(n)], momentum_step,
                lambda y, w, v, g: np.allclose(y[0], exact(w) - 0.01 * (0.9 * exact(v) + g), 1e-4, 1e-5),
                bytes=20 * n, operations=4 * n)


def adam_step(w, m, v, g):
    f = np.float32
    m, v = m * f(0.9) + g * f(0.1), v * f(0.999) + g * g * f(0.001)
    return w - m * f(0.001) / (np.sqrt(v) + f(1e-8)), m, v


def adam(n):
    return over(f"adam/{size(n)}", lambda: [normal(n), normal(n), uniform(n), normal(n)], adam_step,
                lambda y, w, m, v, g: np.allclose(y[2], 0.999 * exact(v) + 0.001 * exact(g) ** 2, 1e-5),
                bytes=28 * n, operations=12 * n)


def total(n, name=None):
    return over(name or f"sum/{size(n)}", lambda: [uniform(n)], lambda a: np.sum(a),
                lambda y, a: np.isclose(y, exact(a).sum(), 1e-5), bytes=4 * n, operations=n)


def largest(n):
    return over(f"max/{size(n)}", lambda: [signed(n)], lambda a: np.max(a), lambda y, a: (y >= a).all(), bytes=4 * n,
                operations=n)


def sum_axis(shape, axis, name=None):
    count = int(np.prod(shape))
    text = name or f"sum_axis{axis}/{'x'.join(map(str, shape))}"
    return over(text, lambda: [uniform(*shape)], lambda a: a.sum(axis=axis),
                lambda y, a: np.allclose(y, exact(a).sum(axis=axis), 1e-4),
                bytes=4 * (count + count // shape[axis]), operations=count)


def argmax(rows, columns):
    return over(f"argmax/{rows}x{columns}", lambda: [signed(rows, columns)], lambda a: a.argmax(axis=-1),
                bytes=4 * rows * (columns + 1), operations=rows * columns)


def fused_sum(n):
    return over(f"exp_mul_add_sum/{size(n)}", lambda: [uniform(n), uniform(n)], lambda a, b: np.exp(a * b + a).sum(),
                lambda y, a, b: np.isclose(y, np.exp(exact(a) * b + a).sum(), 1e-4), bytes=8 * n, operations=4 * n)


def softmax(rows, columns):
    def verb(a):
        e = np.exp(a - a.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    count = rows * columns
    return over(f"softmax/{rows}x{columns}", lambda: [random.standard_normal((rows, columns), dtype=np.float32)], verb,
                lambda y, a: np.allclose(y.sum(axis=-1), 1, 1e-4), bytes=8 * count, operations=4 * count)


def transpose(n):
    return over(f"transpose_copy/{n}x{n}", lambda: [uniform(n, n)], lambda a: np.ascontiguousarray(a.T), bytes=8 * n * n)


def added(name, n, other, verb):
    return over(f"{name}/{n}x{n}", lambda: [uniform(n, n), uniform(*other)], verb,
                bytes=4 * (2 * n * n + int(np.prod(other))), operations=n * n)


def matmul(n):
    return over(f"matmul/{n}", lambda: [signed(n, n), signed(n, n)], lambda a, b: a @ b,
                lambda y, a, b: np.allclose(y[:8], exact(a[:8]) @ b, 1e-3, 1e-3), bytes=12 * n * n, operations=2 * n**3)


def batch_matmul(batch, n):
    return over(f"matmul_batch/{batch}x{n}x{n}", lambda: [signed(batch, n, n), signed(batch, n, n)],
                lambda a, b: a @ b, bytes=12 * batch * n * n, operations=2 * batch * n**3)


def cumsum(n):
    return over(f"cumsum/{size(n)}", lambda: [uniform(n)], np.cumsum, bytes=8 * n, items=n)


def cumsum_rows(rows, columns):
    count = rows * columns
    return over(f"cumsum_rows/{rows}x{columns}", lambda: [uniform(rows, columns)], lambda a: a.cumsum(axis=-1),
                bytes=8 * count, items=count)


def sorted_with_places(a):
    places = np.argsort(a, axis=-1, kind="stable")
    return np.take_along_axis(a, places, axis=-1), places


def sort(n, floats):
    make = (lambda: [random.standard_normal(n, dtype=np.float32)]) if floats else (
        lambda: [random.integers(0, 2**32, n, dtype=np.uint32)])
    return over(f"sort_{'f32' if floats else 'u32'}/{size(n)}", make, sorted_with_places,
                lambda y, a: (y[0][1:] >= y[0][:-1]).all(), bytes=12 * n, items=n)


def sort_rows(rows, columns):
    count = rows * columns
    return over(f"sort_rows/{rows}x{columns}", lambda: [random.standard_normal((rows, columns), dtype=np.float32)],
                sorted_with_places, bytes=12 * count, items=count)


def argsort(*shape):
    count = int(np.prod(shape))
    return over(f"argsort/{size(count) if len(shape) == 1 else 'x'.join(map(str, shape))}",
                lambda: [random.standard_normal(shape, dtype=np.float32)],
                lambda a: np.argsort(a, axis=-1, kind="stable"),
                lambda y, a: (np.diff(np.take_along_axis(a, y, axis=-1)) >= 0).all(), bytes=8 * count, items=count)


def take(n, source):
    return over(f"take/{size(n)}", lambda: [uniform(source), random.integers(0, source, n)],
                lambda a, i: a.take(i), bytes=12 * n, items=n)


def take_rows(rows, columns):
    return over(f"take_rows/{rows}x{columns}", lambda: [uniform(rows, columns), random.integers(0, rows, rows)],
                lambda a, i: a.take(i, axis=0), bytes=4 * (2 * rows * columns + rows))


def scatter_add(rows, columns):
    def verb(base, places, updates):
        y = base.copy()
        np.add.at(y, (places, np.arange(columns)), updates)
        return y

    return over(f"scatter_add/{rows}x{columns}",
                lambda: [uniform(rows, columns), random.integers(0, rows, (rows, columns)), uniform(rows, columns)],
                verb, bytes=16 * rows * columns)


def scatter_add_flat(n):
    def verb(base, places, updates):
        y = base.copy()
        np.add.at(y, places, updates)
        return y

    return over(f"scatter_add_flat/{size(n)}", lambda: [uniform(n), random.integers(0, n, n), uniform(n)], verb,
                bytes=16 * n, items=n)


def order_works(n, ordered, rows):
    return [cumsum(n), cumsum_rows(rows, 4096), sort(ordered, False), sort(ordered, True), sort_rows(rows, 1024),
            argsort(rows, 1024), take(ordered, ordered // 4), take_rows(ordered // 64, 64), scatter_add(rows, 1024)]


def order_sweep():
    works = []
    for exponent in range(10, 23, 2):
        n = 1 << exponent
        works += [sort(n, False), argsort(n), take(n, n // 4), scatter_add_flat(n)]
        works += [cumsum(n)] if exponent < 22 else []
    return works


def chain(steps):
    def run(a):
        for _ in range(steps):
            a = a + np.float32(1)
        return a

    return over("chain/64", lambda: [uniform(64)], run, steps=steps)


def read_number():
    return over("read_number/1", lambda: [uniform(1)], lambda a: (a * np.float32(2)).item() and None, on_host=True)


def first_result():
    n = 1 << 20
    program = f"""import os, numpy as np
x = np.full({n}, 0.5, dtype=np.float32)
print(np.exp(x).sum(), flush=True)
os._exit(0)"""

    def run():
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)

    return Work(f"first_result/{size(n)}", lambda: ([run], lambda: ""), on_host=True)


class Network:
    """PerceptronByHand of perf/works/models/perceptron.cpp, line by line."""

    def __init__(self):
        normal = lambda *shape: random.standard_normal(shape, dtype=np.float32)
        self.values = [normal(784, 128) * np.float32(0.01), np.zeros(128, np.float32),
                       normal(128, 10) * np.float32(0.1), np.zeros(10, np.float32)]
        self.velocities = [np.zeros_like(x) for x in self.values]
        self.rate = np.float32(0.05)

    def step(self, x, labels):
        w1, b1, w2, b2 = self.values
        batch = np.float32(len(x))
        target = (labels[:, None] == np.arange(10)).astype(np.float32)
        hidden = np.maximum(x @ w1 + b1, 0)
        logits = hidden @ w2 + b2
        low = logits - logits.max(axis=1, keepdims=True)
        log_probability = low - np.log(np.exp(low).sum(axis=1, keepdims=True))
        loss = -(log_probability * target).sum() / batch
        d_logits = (np.exp(log_probability) - target) / batch
        d_hidden = np.where(hidden > 0, d_logits @ w2.T, np.float32(0))
        self.descend([x.T @ d_hidden, d_hidden.sum(axis=0), hidden.T @ d_logits, d_logits.sum(axis=0)])
        return loss

    def descend(self, gradients):
        for i, gradient in enumerate(gradients):
            self.velocities[i] = self.velocities[i] * np.float32(0.9) + gradient
            self.values[i] = self.values[i] - self.velocities[i] * self.rate


def training(batch=128, steps=20, images=6400):
    def prepare():
        pictures, labels = uniform(images, 784), random.integers(0, 10, images)
        order, network, at = random.permutation(images), Network(), [0]

        def run():
            losses = []
            for _ in range(steps):
                first = at[0] % (images // batch) * batch
                chosen = order[first:first + batch]
                losses.append(network.step(pictures[chosen], labels[chosen]))
                at[0] += 1
            return losses and None

        def problem():
            x, y = pictures[:batch], labels[:batch]
            trial = Network()
            losses = [trial.step(x, y) for _ in range(200)]
            return "" if losses[-1] < 0.8 * losses[0] else f"the loss goes from {losses[0]} to {losses[-1]}"

        return [run], problem

    return Work(f"fashion_mnist/{batch}", prepare, items=batch * steps, steps=steps, on_host=True)


DTYPES = {"f16": np.float16, "f32": np.float32, "u8": np.uint8, "i8": np.int8}


def typed(operation, dtype):
    return operation if dtype == "f32" else f"{operation}_{dtype}"


def filled(dtype, make, *shape):
    if dtype in ("u8", "i8"):
        low = 0 if dtype == "u8" else -128
        return random.integers(low, low + 256, shape, dtype=DTYPES[dtype])
    return make(*shape).astype(DTYPES[dtype])


def over_narrow(operation, dtype, shape, inputs, verb, check=None, make=uniform, written=None, operations=0):
    count = int(np.prod(shape))
    text = size(count) if len(shape) == 1 else "x".join(map(str, shape))
    moved = inputs * count + (count if written is None else written)
    return over(f"{typed(operation, dtype)}/{text}", lambda: [filled(dtype, make, *shape) for _ in range(inputs)], verb,
                check, bytes=DTYPES[dtype]().itemsize * moved, operations=operations * count)


def softmax_rows(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def vector_maps(dtype, n):
    return [over_narrow("copy", dtype, (n,), 1, lambda a: a.copy(), np.array_equal),
            over_narrow("mul", dtype, (n,), 2, lambda a, b: a * b, operations=1)]


def conversion(source, to, n):
    return over(f"{source}_to_{to}/{size(n)}", lambda: [filled(source, signed, n)], lambda a: a.astype(DTYPES[to]),
                bytes=(DTYPES[source]().itemsize + DTYPES[to]().itemsize) * n)


def half_works(n, side):
    """f16; NumPy has no bfloat16."""
    return vector_maps("f16", n) + [
        over_narrow("exp", "f16", (n,), 1, np.exp, make=signed, operations=1),
        over_narrow("sum", "f16", (n,), 1, np.sum, make=signed, written=1, operations=1),
        over_narrow("softmax", "f16", (side, side), 1, softmax_rows, make=normal, operations=4),
        over_narrow("transpose_copy", "f16", (side, side), 1, lambda a: np.ascontiguousarray(a.T)),
        over_narrow("sum_axis0", "f16", (side, side), 1, lambda a: a.sum(axis=0), written=side, operations=1),
        over_narrow("sum_axis1", "f16", (side, side), 1, lambda a: a.sum(axis=1), written=side, operations=1),
        conversion("f16", "f32", n), conversion("f32", "f16", n)]


def byte_works(n):
    return vector_maps("u8", n) + vector_maps("i8", n) + [
        over_narrow("sum", "u8", (n,), 1, np.sum, written=1, operations=1),
        over(f"u8_scaled/{size(n)}", lambda: [filled("u8", uniform, n)],
             lambda a: a.astype(np.float32) * np.float32(1 / 255), bytes=5 * n)]


def vector_products(m, k):
    works = []
    for dtype in ("f16", "f32"):
        width = DTYPES[dtype]().itemsize
        works += [over(f"{typed('matmul', dtype)}/{m}x{k}x{n}",
                       lambda dtype=dtype, n=n: [filled(dtype, signed, m, k), filled(dtype, signed, k, n)],
                       lambda a, b: a @ b, bytes=width * (m * k + k * n + m * n), operations=2 * m * k * n)
                  for n in (1, 8)]
        works.append(over(f"{typed('matmul_rows', dtype)}/8x{k}x{m}",
                          lambda dtype=dtype: [filled(dtype, signed, 8, k), filled(dtype, signed, m, k)],
                          lambda x, w: x @ w.T, bytes=width * (m * k + 8 * k + 8 * m), operations=16 * m * k))
    return works


def scaled_product(m, k):
    """i8 weights with an f16 scale for each 32, times a vector."""
    return over(f"i8_scaled_matmul/{m}x{k}x1",
                lambda: [filled("i8", uniform, m, k // 32, 32), filled("f16", uniform, m, k // 32, 1), signed(k)],
                lambda w, s, x: (w * s.astype(np.float32)).reshape(m, k) @ x, bytes=m * k + m * k // 16 + 4 * (k + m),
                operations=2 * m * k)


def narrow_works(n, side):
    return half_works(n, side) + byte_works(n) + vector_products(1024, 1024) + [scaled_product(1024, 1024)]


def works_of(name):
    if name == "classic":
        works = []
        for n in (64, 128, 256, 512, 1024):
            works += [exp(n * n, f"exp/{n}"), mul(n * n, f"mul/{n}"),
                      mul_transposed(n, f"mul_transposed_reshaped/{n}"), matmul(n)]
        for n in (64, 128, 256, 512, 1024, 2048):
            works += [sum_axis((n, n), 0, f"sum_axis0/{n}"), total(n * n, f"sum_scalar/{n}")]
        return works
    if name == "sweep":
        works = []
        for exponent in range(10, 25, 2):
            n = 1 << exponent
            works += [copy(n), mul(n), exp(n), total(n), fused_sum(n)]
        return works + [matmul(n) for n in (64, 128, 256, 512, 1024)]
    if name == "order":
        return order_works(1 << 22, 1 << 20, 1024) + order_sweep()
    if name == "narrow":
        return narrow_works(1 << 22, 2048)
    if name not in ("software", "smoke"):
        sys.exit(f"numpy_peer.py: there is no set \"{name}\"; the sets are software, classic, sweep, order, narrow and smoke")
    small = name == "smoke"
    n, side = (1 << 12, 64) if small else (1 << 22, 2048)
    works = [copy(n), exp(n), mul(n), where(n), greater(n), total(n), largest(n), sum_axis((side, side), 0),
             sum_axis((side, side), 1), argmax(side if small else 4096, side if small else 1024), fused_sum(n),
             softmax(side, side), transpose(side), added("add_row", side, (side,), lambda a, b: a + b),
             added("add_column", side, (side, 1), lambda a, b: a + b),
             added("add_permuted", side, (side, side), lambda a, b: a + b.T), momentum(n // 4), adam(n // 4)]
    works += [matmul(64)] if small else [matmul(512), matmul(1024)]
    works += [batch_matmul(4, 16) if small else batch_matmul(256, 64)]
    works += order_works(n, n, 16) if small else order_works(n, 1 << 20, 1024)
    return works + [chain(10 if small else 100), read_number(), training(), first_result()]


def run():
    chosen = measuring.options(__doc__.splitlines()[0], ["software", "classic", "sweep", "order", "narrow", "smoke"])
    if chosen.works:
        works = measuring.read_works(drawn_numpy.works_of, chosen.works)
    else:
        works = [work for name in (chosen.set or "software").split(",") for work in works_of(name)]
    header = {"program": "numpy", "variant": "", "library": f"NumPy {np.__version__}",
              "device": {"name": measuring.host(), "kind": "cpu", "software": True}}
    return measuring.main(chosen, works, Host, header)


if __name__ == "__main__":
    sys.exit(run())
