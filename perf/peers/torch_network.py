"""The set `network` in PyTorch. `peer` is the module torch_peer, whose helpers make works."""

import torch
from torch import nn
from torch.nn import functional

import torch_pictures

CONVOLUTIONS = [(32, 3, 64, 7, 224, 2, 1), (32, 64, 256, 1, 56, 1, 1), (32, 64, 64, 3, 56, 1, 1),
                (32, 128, 128, 3, 28, 1, 1), (32, 256, 256, 3, 14, 1, 1), (32, 512, 512, 3, 7, 1, 1),
                (32, 1024, 256, 1, 14, 1, 1), (32, 144, 144, 3, 56, 1, 144), (1, 256, 256, 3, 14, 1, 1)]


def convolution(peer, n, c, out, kernel, size, stride, groups, axes=2):
    """Forward, and with respect to input and weights."""
    text = f"n{n}_{c}to{out}_{'x'.join([str(kernel)] * axes)}" + (f"s{stride}" if stride > 1 else "")
    text += (f"g{groups}" if groups > 1 else "") + f"_{size}"
    pad = kernel // 2
    x, w = (n, c, *[size] * axes), (out, c // groups, *[kernel] * axes)
    after = (size + 2 * pad - kernel) // stride + 1
    y = (n, out, *[after] * axes)
    products = peer.elements(y) * c // groups * kernel ** axes
    of_axes = {2: functional.conv2d, 3: functional.conv3d}[axes]
    moved = peer.elements(x) + peer.elements(w) + peer.elements(y)

    def forward(a, b):
        return of_axes(a, b, None, stride, pad, 1, groups)

    def gradients(g, a, b):
        return torch.ops.aten.convolution_backward(g, a, b, None, [stride] * axes, [pad] * axes, [1] * axes, False,
                                                   [0] * axes, groups, [True, True, False])[:2]

    def right(result, g, a, b):
        a, b = a[:1].double().requires_grad_(), b.double().requires_grad_()
        forward(a, b).backward(g[:1].double())
        return peer.close(result[0][:1], a.grad, 1e-3, 1e-2)

    return [peer.over(f"conv/{text}", lambda: [peer.signed(*x), peer.signed(*w)], forward,
                      lambda r, a, b: peer.close(r[:1], forward(a[:1].double(), b.double()), 1e-3, 1e-2),
                      bytes=4 * moved, operations=2 * products),
            peer.over(f"conv_gradients/{text}", lambda: [peer.signed(*y), peer.signed(*x), peer.signed(*w)], gradients,
                      right, bytes=4 * (moved + peer.elements(x) + peer.elements(w)), operations=4 * products)]


def pictures(peer, *shape):
    count, text = peer.elements(shape), "x".join(map(str, shape))
    channels = shape[1]

    def work(name, verb, written, operations):
        return peer.over(f"{name}/{text}", lambda: [peer.normal(*shape)], verb,
                         lambda y, a: peer.close(y[:1], verb(a[:1].double())), bytes=4 * (count + written),
                         operations=operations)

    def batch_norm(x, weight, bias):
        mean, var = torch.zeros(channels, device=x.device), torch.ones(channels, device=x.device)
        return functional.batch_norm(x, mean, var, weight, bias, True)

    return [work("max_pool", lambda x: functional.max_pool2d(x, 3, 2, 1), count // 4, 9 * count // 4),
            work("global_average", lambda x: x.mean((2, 3)), shape[0] * channels, count),
            work("bilinear_x2", lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"), 4 * count,
                 32 * count),
            peer.over(f"batch_norm_training/{text}",
                      lambda: [peer.normal(*shape), peer.uniform(channels), peer.uniform(channels)], batch_norm,
                      bytes=12 * count, operations=8 * count)]


def grouped(peer, n):
    """ResNeXt's 32 groups, a product in each of few groups, and volumes."""
    return [work for c in ((n, 128, 128, 3, 56, 1, 32), (n, 256, 256, 3, 28, 1, 32), (n, 256, 256, 1, 28, 1, 8),
                           (n // 4, 64, 64, 3, 32, 1, 16, 3)) for work in convolution(peer, *c)]


def rows(peer, count, length, classes):
    works = []
    for n in (length, length + 1):
        moved = dict(bytes=8 * count * n)
        works += peer.both(f"layer_norm/{count}x{n}",
                           lambda n=n: [peer.normal(count, n), peer.uniform(n), peer.uniform(n)],
                           lambda x, w, b, n=n: functional.layer_norm(x, (n,), w, b), operations=8 * count * n, **moved)
        works += peer.both(f"rms_norm/{count}x{n}", lambda n=n: [peer.normal(count, n), peer.uniform(n)],
                           lambda x, w, n=n: functional.rms_norm(x, (n,), w, 1e-5), operations=4 * count * n, **moved)
    for n in (classes, classes + 3):
        works += peer.both(f"cross_entropy/{count}x{n}",
                           lambda n=n: [peer.normal(count, n), torch.randint(0, n, (count,), device=peer.PLACE)],
                           functional.cross_entropy,
                           lambda y, x, t: peer.close(y, functional.cross_entropy(x.double(), t)), bytes=4 * count * n,
                           operations=4 * count * n)
    return works


def standardized(peer, n, features):
    def verb(x):
        return (x - x.mean(0)) * torch.rsqrt(x.var(0, unbiased=False) + 1e-5)

    return peer.both(f"standardize_axis0/{n}x{features}", lambda: [peer.normal(n, features)], verb,
                     lambda y, x: peer.close(y[:, :1], verb(x[:, :1].double())), bytes=12 * n * features,
                     operations=6 * n * features)


def attention(peer, *shape):
    count = peer.elements(shape)
    return [peer.over(f"attention_causal/{'x'.join(map(str, shape))}", lambda: [peer.normal(*shape) for _ in range(3)],
                      lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True), bytes=16 * count,
                      operations=2 * count * shape[2])]


class Bottleneck(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()

        def normalised(into, out, kernel, step):
            return nn.Sequential(nn.Conv2d(into, out, kernel, step, kernel // 2, bias=False), nn.BatchNorm2d(out))

        self.inner = nn.Sequential(normalised(channels, width, 1, 1), nn.ReLU(True), normalised(width, width, 3, stride),
                                   nn.ReLU(True), normalised(width, 4 * width, 1, 1))
        self.shortcut = normalised(channels, 4 * width, 1, stride) if channels != 4 * width else nn.Identity()

    def forward(self, x):
        return torch.relu_(self.inner(x) + self.shortcut(x))


def network():
    parts = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(count):
            parts.append(Bottleneck(channels, width, 2 if i == 0 and width > 64 else 1))
            channels = 4 * width
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)).eval()


def resnet50(peer, batch, size=224):
    """Eager, as the issue compares it; torchvision's architecture, without its dependence."""
    def prepare():
        with torch.no_grad():
            model = network().to(peer.PLACE)
        inputs = [peer.uniform(batch, 3, size, size) for _ in range(4)]

        def call(x):
            with torch.no_grad():
                return model(x)

        return [lambda x=x: call(x) for x in inputs], lambda: "" if call(inputs[0]).shape == (batch, 1000) else "shape"

    name = f"resnet50/{batch}" + ("" if size == 224 else f"x{size}")
    return [peer.Work(name, prepare, items=batch, variant="eager")]


def smaller(peer, c, shape, count, length):
    n, into, out, kernel, size = c
    works = convolution(peer, *c, 1, 1) + convolution(peer, n, into, into, kernel, size, 1, into)
    works += grouped(peer, 8) + torch_pictures.works_of(peer, (8, 48, 112, 112), (2, 16, 32, 48, 48))
    works += pictures(peer, *shape) + rows(peer, count, length, 2 * length) + standardized(peer, 16 * count, 100)
    return works + attention(peer, 1, 2, length, 16) + resnet50(peer, 1, 64)


def works_of(peer, hardware):
    if not hardware:
        return smaller(peer, (1, 64, 64, 3, 56), (2, 64, 56, 56), 512, 1024)
    works = [work for each in CONVOLUTIONS for work in convolution(peer, *each)]
    works += grouped(peer, 32) + torch_pictures.works_of(peer, (32, 64, 112, 112), (4, 16, 32, 64, 64))
    works += pictures(peer, 32, 64, 112, 112) + rows(peer, 8192, 4096, 32000) + standardized(peer, 1000000, 100)
    works += attention(peer, 8, 12, 1024, 64) + attention(peer, 8, 12, 4096, 64)
    for m, k, n in ((8, 4096, 4096), (64, 4096, 4096), (65536, 37, 129), (300, 300, 300)):
        works += peer.matmul(m, k, n)
    return works + resnet50(peer, 1) + resnet50(peer, 32)
