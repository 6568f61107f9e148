"""Of the set `network` what reads pictures by windows, or between their elements. `peer` is the module torch_peer."""

import torch
from torch.nn import functional


def places(peer, n, *lengths):
    """grid_sample's grid at each element's own place, give or take a twentieth."""
    axes = len(lengths)
    identity = torch.eye(axes, axes + 1, device=peer.PLACE).expand(n, axes, axes + 1)
    grid = functional.affine_grid(identity, [n, 1, *lengths], align_corners=False)
    return grid + 0.05 * peer.signed(*grid.shape)


def of_windows(reduce):
    """Over windows of 3 x 3, by a matrix of all of them, as unfold gives it."""
    def verb(x):
        n, channels, height, width = x.shape
        return reduce(functional.unfold(x, 3).view(n, channels, 9, height - 2, width - 2))

    return verb


def works_of(peer, pictures, volumes):
    n, channels, height, width = pictures
    third, adaptive = (height // 3, width // 3), (height * 3 // 7, width * 3 // 7)

    def work(name, x, verb, to, each):
        """each: operations that make an element of the result, whose spatial axes have the lengths `to`."""
        written = x[0] * x[1] * peer.elements(to)
        return peer.over(f"{name}/{'x'.join(map(str, x))}", lambda: [peer.normal(*x)], verb,
                         lambda y, a: peer.close(y[:1], verb(a[:1].double()), 1e-4, 1e-4),
                         bytes=4 * (peer.elements(x) + written), operations=each * written)

    def resampled(name, x, mode, to, each, **options):
        return work(name, x, lambda a: functional.interpolate(a, size=to, mode=mode, **options), to, each)

    def twice(x):
        return tuple(2 * length for length in x[2:])

    def sampled(x):
        def verb(a, grid):
            return functional.grid_sample(a, grid, align_corners=False)

        count, axes = peer.elements(x), len(x) - 2
        return peer.over(f"grid_sample/{'x'.join(map(str, x))}", lambda: [peer.normal(*x), places(peer, x[0], *x[2:])], verb,
                         lambda y, a, g: peer.close(y[:1], verb(a[:1].double(), g[:1].double()), 1e-4, 1e-3),
                         bytes=4 * (2 * count + axes * count // x[1]), operations=(12 if axes == 2 else 28) * count)

    half = (height // 2, width // 2)
    return [work("avg_pool", pictures, lambda a: functional.avg_pool2d(a, 3, 2, 1), half, 9),
            work("lp_pool", pictures, lambda a: functional.lp_pool2d(a, 2, 2), half, 8),
            work("adaptive_avg_pool", pictures, lambda a: functional.adaptive_avg_pool2d(a, adaptive), adaptive, 9),
            work("adaptive_max_pool", pictures, lambda a: functional.adaptive_max_pool2d(a, adaptive), adaptive, 9),
            resampled("bicubic_x2", pictures, "bicubic", twice(pictures), 40),
            resampled("bilinear_antialiased_third", pictures, "bilinear", third, 84, antialias=True),
            resampled("trilinear_x2", volumes, "trilinear", twice(volumes), 14),
            sampled(pictures), sampled(volumes),
            work("pixel_shuffle", pictures, lambda a: functional.pixel_shuffle(a, 2), (height, width), 0),
            work("window_max", pictures, of_windows(lambda windows: windows.amax(2)), (height - 2, width - 2), 9),
            work("window_var", pictures, of_windows(lambda windows: windows.var(2, unbiased=False)),
                 (height - 2, width - 2), 36)]
