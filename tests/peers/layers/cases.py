"""Drawn layers: of each its name, the layer, how it is called, its x, other tensors that it is called with, and what it
is, as texts."""

import random

import torch
from torch import nn

from comparing.safetensors import normal

draw = random.randint


class Case:
    def __init__(self, name, layer, x, call=None, others=None, **about):
        self.name, self.layer, self.x = name, layer, x
        self.call = call or (lambda layer, x: layer(x))
        self.others, self.about = others or {}, about


class RMSNorm(nn.Module):
    """Later versions of PyTorch have it, with this formula."""

    def __init__(self, sizes):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(sizes))

    def forward(self, x):
        axes = list(range(-self.weight.dim(), 0))
        return x * torch.rsqrt(x.square().mean(axes, keepdim=True) + 1e-5) * self.weight


def drawn_weights(layer):
    """Where PyTorch begins with ones and zeros."""
    with torch.no_grad():
        for x in layer.parameters():
            x.add_(0.3 * normal(*x.shape))
        for name, x in layer.named_buffers():
            if x.is_floating_point():
                x.copy_((x + 0.3 * torch.rand(x.shape)).float())
    return layer


def joined(results):
    """The output, and the last states behind it."""
    output, last = results
    return torch.cat([output, *(last if isinstance(last, tuple) else [last])])


def recurrent():
    length, batch, inputs, hidden = draw(1, 20), draw(1, 5), draw(1, 9), draw(1, 17)
    x, states = normal(length, batch, inputs), {"hidden": normal(1, batch, hidden), "cell": normal(1, batch, hidden)}
    one = {"hidden": states["hidden"]}
    for name, kind in {"rnn": nn.RNN, "gru": nn.GRU}.items():
        yield Case(name, kind(inputs, hidden, bias=random.random() < 0.7), x,
                   lambda layer, x: joined(layer(x, one["hidden"])), one)
    yield Case("lstm", nn.LSTM(inputs, hidden, bias=random.random() < 0.7), x,
               lambda layer, x: joined(layer(x, (states["hidden"], states["cell"]))), states)


def attending():
    # Not two features: where those are nearly equal, few digits of a norm's derivative are left.
    heads = draw(1, 3)
    features, rows = 2 * heads * draw(2, 6), draw(1, 20)
    x, mask = normal(draw(1, 5), rows, features), torch.triu(torch.full((rows, rows), float("-inf")), 1)
    attention = drawn_weights(nn.MultiheadAttention(features, heads, batch_first=True))
    yield Case("attention", attention, x, lambda layer, x: layer(x, x, x)[0], heads=heads)
    yield Case("attention_causal", attention, x, lambda layer, x: layer(x, x, x, attn_mask=mask)[0], heads=heads)
    size = {"d_model": features, "nhead": 2, "dim_feedforward": draw(1, 40), "dropout": 0.0, "batch_first": True}
    yield Case("norms_behind", nn.TransformerEncoderLayer(**size), x)
    yield Case("norms_first", nn.TransformerEncoderLayer(**size, activation="gelu", norm_first=True), x,
               lambda layer, x: layer(x, src_mask=mask))


def convolutions():
    """Of one to three spatial axes."""
    for axes in (1, 2, 3):
        groups, lengths = draw(1, 2), [draw(4, 9 - axes) for _ in range(axes)]
        channels, out = groups * draw(1, 3), groups * draw(1, 3)
        kernel, stride, dilation = ([draw(1, most) for _ in lengths] for most in (3, 2, 2))
        padding = [draw(0, 1) + (size - 1) * apart // 2 for size, apart in zip(kernel, dilation)]
        layer = getattr(nn, f"Conv{axes}d")(channels, out, kernel, stride, padding, dilation, groups)
        about = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        x = normal(draw(1, 3), channels, *lengths)
        yield Case(f"conv{axes}", layer, x, **about)
        more = [draw(0, max(step, apart) - 1) for step, apart in zip(stride, dilation)]
        about["padding"] = [min(pad, 1) for pad in padding]
        up = getattr(nn, f"ConvTranspose{axes}d")(channels, out, kernel, stride, about["padding"], more, groups,
                                                 dilation=dilation)
        yield Case(f"conv_transpose{axes}", up, x, **about, output_padding=more)


def norms():
    shape = [draw(2, 5), 2 * draw(1, 4), draw(2, 6), draw(3, 7)]
    x = normal(*shape)
    sizes = shape[-draw(1, 2):]
    yield Case("layer_norm", drawn_weights(nn.LayerNorm(sizes)), x)
    yield Case("rms_norm", drawn_weights(RMSNorm(sizes)), x)
    yield Case("group_norm", drawn_weights(nn.GroupNorm(2, shape[1])), x, groups=2)
    yield Case("batch_norm", drawn_weights(nn.BatchNorm2d(shape[1])), x)
    yield Case("batch_norm_after", drawn_weights(nn.BatchNorm2d(shape[1])).eval(), x)


def others():
    inputs, hidden, features = draw(1, 9), draw(1, 17), draw(2, 20)
    yield Case("linear", nn.Linear(inputs, hidden), normal(draw(1, 3), draw(1, 9), inputs))
    yield Case("linear_only", nn.Linear(inputs, hidden, bias=False), normal(draw(1, 9), inputs))
    yield Case("embedding", nn.Embedding(features, hidden), torch.randint(0, features, (draw(1, 3), draw(1, 9))))

    def net():
        return drawn_weights(nn.Sequential(nn.BatchNorm1d(inputs), nn.Linear(inputs, hidden), nn.ReLU(),
                                           nn.Dropout(0.0), nn.Linear(hidden, features)))

    x = normal(draw(8, 40), inputs)
    yield Case("sequential", net(), x)
    yield Case("sequential_after", net().eval(), x)


def cases():
    for family in (recurrent, attending, convolutions, norms, others):
        yield from family()
