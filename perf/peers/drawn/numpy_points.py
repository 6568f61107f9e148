"""Pairs of points, stencils and masks in NumPy."""

try:
    import numpy as np
except ImportError:  # its tables are looked at without it
    np = None

from .numpy_reductions import softmax


def squares_by_product(a, b):
    return (a * a).sum(axis=1, keepdims=True) + (b * b).sum(axis=1) - 2 * (a @ b.T)


def squares(a, b):
    return np.square(a[:, None] - b[None]).sum(axis=2)


def unit(x):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True))


DISTANCES = {
    "squares_by_product": lambda p, a, b: squares_by_product(a, b),
    "distances": lambda p, a, b: np.sqrt(squares(a, b)),
    "manhattan": lambda p, a, b: np.abs(a[:, None] - b[None]).sum(axis=2),
    "cosines": lambda p, a, b: unit(a) @ unit(b).T,
    "gaussians": lambda p, a, b: np.exp(-0.5 * squares(a, b)),
    "nearest": lambda p, a, b: squares(a, b).argmin(axis=1),
    "nearest_by_product": lambda p, a, b: squares_by_product(a, b).argmin(axis=1),
    "nearest_distance": lambda p, a, b: np.sqrt(squares(a, b).min(axis=1)),
}


def bodies(x):
    apart = x[None] - x[:, None]
    return apart, 1 / np.sqrt((apart * apart).sum(axis=2) + np.float32(0.01))


def acceleration(x, mass):
    apart, inverse = bodies(x)
    return (apart * (mass * inverse * inverse * inverse)[:, :, None]).sum(axis=1)


def leapfrog(p, x, mass, velocity):
    velocity = velocity + np.float32(0.01) * acceleration(x, mass)
    return x + np.float32(0.01) * velocity, velocity


N_BODY = {
    "acceleration": lambda p, x, mass: acceleration(x, mass),
    "energy": lambda p, x, mass: (mass * bodies(x)[1]).sum(axis=1) * mass * -0.5,
    "leapfrog": leapfrog,
    "gaussian_sum": lambda p, x, values: np.exp(-0.5 * squares(x, x)) @ values,
}


def life(p, x):
    alive = (x > 0).astype(np.float32)
    rows = alive + np.roll(alive, 1, 0) + np.roll(alive, -1, 0)
    around = rows + np.roll(rows, 1, 1) + np.roll(rows, -1, 1) - alive
    return np.where(around == 3, np.float32(1), np.where(around == 2, alive, np.float32(0)))


def blur(p, x):
    rows = x[:-2] + 2 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) * np.float32(1 / 16)


def slope(p, x):
    down, across = (x[2:] - x[:-2])[:, 1:-1], (x[:, 2:] - x[:, :-2])[1:-1]
    return np.sqrt(down * down + across * across) * 0.5


def heat_step(p, x):
    around = np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1)
    return x + 0.1 * (around - 4 * x)


def laplacian_2d(p, x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def laplacian_3d(p, x):
    i = slice(1, -1)
    return (x[:-2, i, i] + x[2:, i, i] + x[i, :-2, i] + x[i, 2:, i] + x[i, i, :-2] + x[i, i, 2:] - 6 * x[i, i, i])


STENCIL = {
    "laplacian_2d": laplacian_2d,
    "laplacian_3d": laplacian_3d,
    "heat_step": heat_step,
    "life": life,
    "blur": blur,
    "slope": slope,
    "moving_average": lambda p, x: (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:]) * np.float32(0.2),
}


def without_outliers(p, x):
    middle, far = x.mean(), 2 * x.std()
    return np.minimum(np.maximum(x, middle - far), middle + far)


MASKS = {
    "count_positive": lambda p, x: np.count_nonzero(x > 0),
    "larger_or_zero": lambda p, x, y: np.where(x > y, x, np.float32(0)),
    "masked_mean": lambda p, x, m: np.where(m, x, np.float32(0)).sum() / np.float32(m.sum()),
    "masked_fill": lambda p, x, m: np.where(m, np.float32(-1e9), x),
    "masked_softmax": lambda p, x, m: softmax(np.where(m, x, np.float32(-1e9))),
    "without_outliers": without_outliers,
    "count_between": lambda p, x: np.count_nonzero((x > -1) & (x < 1), axis=-1),
    "any_large": lambda p, x: (x > 3).any(axis=-1),
    "agreement": lambda p, x, y: ((x > 0) == (y > 0)).astype(np.float32).mean(),
    "is_close": lambda p, x, y: np.abs(x - y) < 0.5,
}

TABLE = {"distances": DISTANCES, "n_body": N_BODY, "stencil": STENCIL, "masks": MASKS}
