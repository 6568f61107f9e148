"""The set `training` in PyTorch. `peer` is the module torch_peer, whose helpers make works."""

import torch
from torch import nn
from torch.nn import functional

import torch_network


class SmallConvolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.pictures = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.units = nn.Sequential(nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))

    def forward(self, x):
        return self.units(self.pictures(x).flatten(1))


def perceptron():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))


class Block(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_units = nn.LayerNorm(features), nn.LayerNorm(features)
        self.into, self.out = nn.Linear(features, 3 * features), nn.Linear(features, features)
        self.up, self.down = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)

    def attention(self, x):
        n, tokens, features = x.shape
        q, k, v = (part.view(n, tokens, self.heads, -1).transpose(1, 2) for part in self.into(x).split(features, 2))
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, tokens, features))

    def forward(self, x):
        x = x + self.attention(self.before_attention(x))
        return x + self.down(functional.gelu(self.up(self.before_units(x))))


class Gpt(nn.Module):
    def __init__(self, layers, features, heads, tokens, symbols):
        super().__init__()
        self.symbols, self.places = nn.Embedding(symbols, features), nn.Embedding(tokens, features)
        self.blocks = nn.Sequential(*[Block(features, heads) for _ in range(layers)])
        self.last, self.head = nn.LayerNorm(features), nn.Linear(features, symbols, bias=False)

    def forward(self, x):
        y = self.symbols(x) + self.places.weight[:x.shape[1]]
        return self.head(self.last(self.blocks(y))).flatten(0, 1)


def step(peer, name, make, inputs, rows, classes, variants):
    """AdamW, fused where that exists."""
    def works(variant):
        def prepare():
            model = make().to(peer.PLACE).train()
            run = torch.compile(model, dynamic=False) if variant == "compiled" else model
            optimiser = torch.optim.AdamW(model.parameters(), **({"fused": True} if peer.PLACE == "cuda" else {}))
            batches = [(inputs(), torch.randint(0, classes, (rows,), device=peer.PLACE)) for _ in range(4)]

            def call(x, labels):
                optimiser.zero_grad()
                loss = functional.cross_entropy(run(x), labels)
                loss.backward()
                optimiser.step()
                return loss.detach()

            right = lambda: "" if bool(torch.isfinite(call(*batches[0]))) else "the loss is no number"
            return [lambda batch=batch: call(*batch) for batch in batches], right

        return peer.Work(f"step_{name}", prepare, items=inputs().shape[0], variant=variant)

    return [works(variant) for variant in variants]


def steps(peer, perceptrons, pictures, gpts, networks, variants):
    works = step(peer, f"perceptron/{perceptrons}", perceptron, lambda: peer.uniform(perceptrons, 784), perceptrons, 10,
                 variants)
    works += step(peer, f"cnn/{pictures}", SmallConvolutional, lambda: peer.normal(pictures, 1, 28, 28), pictures, 10,
                  variants)
    for layers, features, heads, tokens, symbols, batch in gpts:
        works += step(peer, f"gpt/{layers}x{features}x{tokens}x{batch}",
                      lambda sizes=(layers, features, heads, tokens, symbols): Gpt(*sizes),
                      lambda tokens=tokens, symbols=symbols, batch=batch:
                      torch.randint(0, symbols, (batch, tokens), device=peer.PLACE), batch * tokens, symbols, variants)
    for n in networks:
        works += step(peer, f"resnet50/{n}", torch_network.network, lambda n=n: peer.normal(n, 3, 224, 224), n, 1000,
                      variants)
    return works


def gradient(peer, name, make, f, moved, variants, operations=0):
    """Forward, and back from the last operand."""
    def verb_of(f):
        def verb(*operands):
            inputs = [x.detach().requires_grad_() for x in operands[:-1]]
            return torch.autograd.grad(f(*inputs), inputs, operands[-1])
        return verb

    # Version 1 has no compile().
    verbs = {variant: verb_of(torch.compile(f, dynamic=False) if variant == "compiled" else f) for variant in variants}
    return [peer.over(name, make, verbs[variant], bytes=4 * moved, operations=operations, variant=variant)
            for variant in variants]


def gradients(peer, rows, normalised, pictures, variants):
    def text(shape):
        return "x".join(map(str, shape))

    count, features, channels = peer.elements, normalised[1], pictures[1]
    n, _, height, width = pictures

    def batch_norm(x, weight, bias):
        return functional.batch_norm(x, None, None, weight, bias, True)

    works = gradient(peer, f"softmax_gradient/{text(rows)}", lambda: [peer.normal(*rows), peer.normal(*rows)],
                     lambda x: torch.softmax(x, 1), 3 * count(rows), variants)
    works += gradient(peer, f"layer_norm_gradient/{text(normalised)}",
                      lambda: [peer.normal(*normalised), peer.uniform(features), peer.uniform(features),
                               peer.normal(*normalised)],
                      lambda x, w, b: functional.layer_norm(x, (features,), w, b), 3 * count(normalised), variants)
    works += gradient(peer, f"batch_norm_gradient/{text(pictures)}",
                      lambda: [peer.normal(*pictures), peer.uniform(channels), peer.uniform(channels),
                               peer.normal(*pictures)], batch_norm, 5 * count(pictures), variants)
    return works + gradient(peer, f"max_pool_gradient/{text(pictures)}",
                            lambda: [peer.normal(*pictures), peer.normal(n, channels, height // 2, width // 2)],
                            lambda x: functional.max_pool2d(x, 3, 2, 1), 5 * count(pictures) // 2, variants)


def attention(peer, *shape):
    def f(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    return gradient(peer, f"attention_gradient/{'x'.join(map(str, shape))}", lambda: [peer.normal(*shape) for _ in range(4)],
                    f, 8 * peer.elements(shape), ["eager"], 7 * peer.elements(shape) * shape[2])


def works_of(peer, hardware):
    if not hardware:
        works = steps(peer, 128, 32, [(2, 128, 4, 64, 65, 4)], [], ["eager"])
        works += gradients(peer, (512, 1024), (512, 1024), (2, 16, 56, 56), ["eager"])
        return works + attention(peer, 1, 4, 256, 64)
    both = ["eager", "compiled"]
    works = steps(peer, 128, 128, [(6, 384, 6, 256, 65, 64), (12, 768, 12, 1024, 50304, 4)], [32], both)
    works += gradients(peer, (16384, 16384), (8192, 4096), (32, 64, 112, 112), both)
    return works + attention(peer, 8, 12, 1024, 64) + attention(peer, 8, 12, 4096, 64)
