#!/usr/bin/env python3
"""The programs of this folder in NumPy: prints for each its name, milliseconds and results, as eglantine_programs does.

usage: programs.py [--small] [name]...
       programs.py --lines             # instead: each one's lines of code, with the functions that it alone calls
"""
import inspect
import sys
import time

import numpy as np

f32 = np.float32
small = "--small" in sys.argv


def scrambled(shape, salt=0):
    number = np.arange(np.prod(shape), dtype=np.uint32) + np.uint32(salt * 1000003 + 1)
    word = (number ^ (number >> np.uint32(15))) * np.uint32(2654435761)
    word = (word ^ (word >> np.uint32(13))) * np.uint32(2246822519)
    return ((word >> np.uint32(8)).astype(f32) * f32(2.0**-24)).reshape(shape)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def kmeans():
    n, d, k = 2048 if small else 65536, 16, 32
    x = scrambled((n, d))
    centres = x[:k]
    for _ in range(10):
        distance = (centres**2).sum(1) - 2 * (x @ centres.T)
        label = distance.argmin(1)
        count = np.bincount(label, minlength=k)[:, None].astype(f32)
        total = np.zeros((k, d), f32)
        np.add.at(total, label, x)
        centres = np.where(count > 0, total / np.maximum(count, 1), centres)
    return [((x - centres[label]) ** 2).sum(), centres[0]]


def principal_components():
    n, d = 1024 if small else 16384, 64
    mixing = scrambled((d, d), 1) * np.linspace(3, 0.1, d, dtype=f32)[:, None]
    c = np.cov(((scrambled((n, d)) - f32(0.5)) @ mixing).T).astype(f32)
    variances = []
    for _ in range(4):
        v = np.ones(d, f32)
        for _ in range(30):
            v = c @ v
            v /= np.linalg.norm(v)
        variances.append(v @ (c @ v))
        c = c - variances[-1] * np.outer(v, v)
    return [np.array(variances)]


def windows(x, size, step):
    view = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
    return view[:, :, ::step, ::step]


def convolve(x, w):
    patches = windows(x, 3, 1).transpose(0, 2, 3, 1, 4, 5)
    return (patches.reshape(*patches.shape[:3], -1) @ w).transpose(0, 3, 1, 2)


def pool(x):
    return windows(x, 2, 2).max((4, 5))


def convolutional_network():
    n = 8 if small else 256
    first = (scrambled((9, 16), 1) - f32(0.5)) * f32(0.5)
    second = (scrambled((16 * 9, 32), 2) - f32(0.5)) * f32(0.2)
    last = (scrambled((32 * 25, 10), 3) - f32(0.5)) * f32(0.1)
    x = pool(np.maximum(convolve(scrambled((n, 1, 28, 28)), first), 0))
    x = pool(np.maximum(convolve(x, second), 0))
    probabilities = softmax(x.reshape(n, -1) @ last, 1)
    return [probabilities.mean(0), -np.log(probabilities.max(1)).mean()]


def logistic_regression():
    n, d = 2048 if small else 65536, 64
    x, truth = scrambled((n, d)) - f32(0.5), scrambled(d, 1) - f32(0.5)
    y = (x @ truth > 0).astype(f32)
    w, bias = np.zeros(d, f32), f32(0)
    for _ in range(50):
        error = 1 / (1 + np.exp(-(x @ w + bias))) - y
        w = w - 2 * (x.T @ error) / f32(n)
        bias = bias - 2 * error.mean()
    return [w, bias, ((x @ w + bias > 0) == y).mean()]


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + f32(1e-5))


def erf(x):  # Abramowitz and Stegun 7.1.26
    t = 1 / (1 + f32(0.3275911) * np.abs(x))
    p = t * (f32(0.254829592) + t * (f32(-0.284496736) + t * (f32(1.421413741) + t * (f32(-1.453152027) + t * f32(1.061405429)))))
    return np.sign(x) * (1 - p * np.exp(-x * x))


def gelu(x):
    return x * (1 + erf(x / f32(np.sqrt(2)))) / 2


def weights(inputs, outputs, salt):
    return (scrambled((inputs, outputs), salt) - f32(0.5)) * f32(2 / np.sqrt(inputs))


def attend(x, heads):
    batch, length, width = x.shape

    def split(salt):
        return (x @ weights(width, width, salt)).reshape(batch, length, heads, width // heads).swapaxes(1, 2)

    q, k, v = split(1), split(2), split(3)
    scores = q @ k.swapaxes(-1, -2) / f32(np.sqrt(width // heads))
    mixed = softmax(np.where(np.tri(length, dtype=bool), scores, f32(-np.inf)), -1) @ v
    return mixed.swapaxes(1, 2).reshape(x.shape) @ weights(width, width, 4)


def transformer_block():
    batch, length, width = (1, 32, 256) if small else (8, 256, 256)
    x = scrambled((batch, length, width)) - f32(0.5)
    x = x + attend(layer_norm(x), 8)
    x = x + gelu(layer_norm(x) @ weights(width, 4 * width, 5)) @ weights(4 * width, width, 6)
    return [(x**2).mean(), x[0, -1, :8]]


def heat():
    n = 64 if small else 512
    x = np.zeros((n, n), f32)
    x[0] = 1
    for _ in range(100):
        around = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        x[1:-1, 1:-1] = x[1:-1, 1:-1] + f32(0.2) * (around - 4 * x[1:-1, 1:-1])
    return [x.mean(), x[:8, n // 2]]


def life():
    n = 64 if small else 1024
    alive = scrambled((n, n)) < f32(0.35)
    for _ in range(50):
        neighbours = np.zeros((n, n), np.int32)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy != 0 or dx != 0:
                    neighbours += np.roll(alive, (dy, dx), (0, 1))
        alive = (neighbours == 3) | (alive & (neighbours == 2))
    return [alive.sum(), alive[0].sum()]


def histograms():
    n = 128 if small else 2048
    picture = scrambled((n, n)) ** 2
    counts = np.histogram(picture, 256, (0, 1))[0]
    cumulative = counts.cumsum().astype(f32) / f32(n * n)
    equalised = cumulative[np.clip(np.floor(picture * 256).astype(np.int32), 0, 255)]
    levels = np.bincount(np.floor(equalised * 15).astype(np.int32).ravel(), minlength=16)
    return [counts[:8], levels, np.median(picture), np.quantile(picture, 0.9), equalised.std()]


def mandelbrot():
    n = 64 if small else 512
    cy, cx = np.linspace(-1.25, 1.25, n, dtype=f32)[:, None], np.linspace(-2, 0.5, n, dtype=f32)
    x, y, steps = np.zeros((n, n), f32), np.zeros((n, n), f32), np.zeros((n, n), np.int32)
    for _ in range(64):
        inside = x**2 + y**2 <= 4
        following = x**2 - y**2 + cx
        y = np.where(inside, 2 * x * y + cy, y)
        x = np.where(inside, following, x)
        steps += inside
    return [steps.mean(), steps[n // 2, :8]]


def laplace(x):
    padded = np.pad(x, 1)
    return 4 * x - padded[:-2, 1:-1] - padded[2:, 1:-1] - padded[1:-1, :-2] - padded[1:-1, 2:]


def conjugate_gradients():
    n = 48 if small else 512
    x, r = np.zeros((n, n), f32), scrambled((n, n)) - f32(0.5)
    p, rr = r, (r**2).sum()
    for _ in range(60):
        ap = laplace(p)
        alpha = rr / (p * ap).sum()
        x = x + alpha * p
        r = r - alpha * ap
        following = (r**2).sum()
        p = r + following / rr * p
        rr = following
    return [np.sqrt(rr), x[n // 2, :8]]


def acceleration(x, mass):
    apart = x[None] - x[:, None]
    squared = (apart**2).sum(2) + f32(1e-2)
    return (apart * (mass / (squared * np.sqrt(squared)))[..., None]).sum(1)


def n_body():
    n = 96 if small else 1024
    mass = scrambled(n, 1) / f32(n)
    x, v = scrambled((n, 3)) - f32(0.5), np.zeros((n, 3), f32)
    for _ in range(10):
        v = v + f32(0.005) * acceleration(x, mass)
        x = x + f32(0.01) * v
        v = v + f32(0.005) * acceleration(x, mass)
    return [(mass * (v**2).sum(1)).sum() / 2, x[0]]


PROGRAMS = [kmeans, principal_components, convolutional_network, logistic_regression, transformer_block, heat, life,
            histograms, mandelbrot, conjugate_gradients, n_body]



def reached(function):
    """The functions of this file that it calls, and those that they call."""
    called = [globals()[name] for name in function.__code__.co_names if inspect.isfunction(globals().get(name))]
    return set(called).union(*map(reached, called))


def lines_of(function):
    return sum(1 for line in inspect.getsource(function).splitlines() if line.strip() and not line.strip().startswith("#"))


def own_lines(program):
    of_others = set().union(*(reached(other) for other in PROGRAMS if other is not program))
    return lines_of(program) + sum(map(lines_of, reached(program) - of_others))


if "--help" in sys.argv:
    print(__doc__)
    sys.exit()
if "--lines" in sys.argv:
    for program in PROGRAMS:
        print(program.__name__, own_lines(program))
    sys.exit()
wanted = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
for program in PROGRAMS:
    if wanted and program.__name__ not in wanted:
        continue
    shortest = np.inf
    for _ in range(1 if small else 6):
        start = time.perf_counter()
        results = program()
        shortest = min(shortest, 1000 * (time.perf_counter() - start))
    numbers = np.concatenate([np.atleast_1d(np.asarray(each, np.float64)).ravel() for each in results])
    print(program.__name__, f"{shortest:.3f}", *(f"{number:.9g}" for number in numbers), flush=True)
