"""Pairs of points, stencils and masks in PyTorch."""

try:
    import torch
except ImportError:  # its tables are looked at without it
    torch = None


def squares_by_product(a, b):
    return (a * a).sum(1, keepdim=True) + (b * b).sum(1) - 2 * (a @ b.t())


def squares(a, b):
    return (a[:, None] - b[None]).square().sum(2)


def unit(x):
    return x / torch.sqrt((x * x).sum(1, keepdim=True))


DISTANCES = {
    "squares_by_product": lambda p, a, b: squares_by_product(a, b),
    "distances": lambda p, a, b: torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist"),
    "manhattan": lambda p, a, b: torch.cdist(a, b, 1),
    "cosines": lambda p, a, b: unit(a) @ unit(b).t(),
    "gaussians": lambda p, a, b: torch.exp(-0.5 * squares(a, b)),
    "nearest": lambda p, a, b: squares(a, b).argmin(1),
    "nearest_by_product": lambda p, a, b: squares_by_product(a, b).argmin(1),
    "nearest_distance": lambda p, a, b: torch.sqrt(squares(a, b).amin(1)),
}


def bodies(x):
    apart = x[None] - x[:, None]
    return apart, torch.rsqrt((apart * apart).sum(2) + 0.01)


def acceleration(x, mass):
    apart, inverse = bodies(x)
    return (apart * (mass * inverse * inverse * inverse)[:, :, None]).sum(1)


def leapfrog(p, x, mass, velocity):
    velocity = velocity + 0.01 * acceleration(x, mass)
    return x + 0.01 * velocity, velocity


N_BODY = {
    "acceleration": lambda p, x, mass: acceleration(x, mass),
    "energy": lambda p, x, mass: (mass * bodies(x)[1]).sum(1) * mass * -0.5,
    "leapfrog": leapfrog,
    "gaussian_sum": lambda p, x, values: torch.exp(-0.5 * squares(x, x)) @ values,
}


def life(p, x):
    alive = (x > 0).to(torch.float32)
    rows = alive + alive.roll(1, 0) + alive.roll(-1, 0)
    around = rows + rows.roll(1, 1) + rows.roll(-1, 1) - alive
    return torch.where(around == 3, torch.ones_like(x), torch.where(around == 2, alive, torch.zeros_like(x)))


def blur(p, x):
    rows = x[:-2] + 2 * x[1:-1] + x[2:]
    return (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) * (1 / 16)


def slope(p, x):
    down, across = (x[2:] - x[:-2])[:, 1:-1], (x[:, 2:] - x[:, :-2])[1:-1]
    return torch.sqrt(down * down + across * across) * 0.5


def heat_step(p, x):
    return x + 0.1 * (x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4 * x)


def laplacian_2d(p, x):
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


def laplacian_3d(p, x):
    i = slice(1, -1)
    return x[:-2, i, i] + x[2:, i, i] + x[i, :-2, i] + x[i, 2:, i] + x[i, i, :-2] + x[i, i, 2:] - 6 * x[i, i, i]


STENCIL = {
    "laplacian_2d": laplacian_2d,
    "laplacian_3d": laplacian_3d,
    "heat_step": heat_step,
    "life": life,
    "blur": blur,
    "slope": slope,
    "moving_average": lambda p, x: (x[:-4] + x[1:-3] + x[2:-2] + x[3:-1] + x[4:]) * 0.2,
}


def without_outliers(p, x):
    middle, far = x.mean(), 2 * torch.std(x, unbiased=False)
    return torch.minimum(torch.maximum(x, middle - far), middle + far)


def chosen(m, x, otherwise):
    return torch.where(m, x, torch.full((), otherwise, device=x.device))


MASKS = {
    "count_positive": lambda p, x: torch.count_nonzero(x > 0),
    "larger_or_zero": lambda p, x, y: chosen(x > y, x, 0.0),
    "masked_mean": lambda p, x, m: chosen(m, x, 0.0).sum() / m.sum(),
    "masked_fill": lambda p, x, m: x.masked_fill(m, -1e9),
    "masked_softmax": lambda p, x, m: torch.softmax(x.masked_fill(~m, -1e9), -1),
    "without_outliers": without_outliers,
    "count_between": lambda p, x: torch.count_nonzero((x > -1) & (x < 1), -1),
    "any_large": lambda p, x: (x > 3).any(-1),
    "agreement": lambda p, x, y: ((x > 0) == (y > 0)).to(torch.float32).mean(),
    "is_close": lambda p, x, y: (x - y).abs() < 0.5,
}

TABLE = {"distances": DISTANCES, "n_body": N_BODY, "stencil": STENCIL, "masks": MASKS}
