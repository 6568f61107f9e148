"""Derivatives and steps of training in PyTorch."""

try:
    import torch
    from torch.nn import functional
except ImportError:  # its tables are looked at without it
    torch = functional = None

from .torch_reductions import layer_norm, rms_norm, standardised


class Derived:
    """forward(p, *operands), differentiated: by its first `count` operands, given the result's cotangent as the last
    operand or, of a loss, none; `finish(p, operands, loss, slopes)` makes the results of them. What is compiled is
    forward, and with it its derivative, and finish."""

    def __init__(self, forward, count=1, finish=None, is_loss=False):
        self.forward, self.count, self.finish, self.is_loss = forward, count, finish, is_loss

    def bound(self, p, prepared):
        forward = prepared(lambda *x: self.forward(p, *x))
        finish = prepared(lambda x, loss, slopes: self.finish(p, x, loss, slopes)) if self.finish else None

        def call(*x):
            inputs = [each.detach().requires_grad_() for each in x[:self.count]]
            rest = x[self.count:] if self.is_loss else x[self.count:-1]
            y = forward(*inputs, *rest)
            slopes = torch.autograd.grad(y, inputs, None if self.is_loss else x[-1])
            with torch.no_grad():
                return finish(x, y.detach(), slopes) if finish else slopes

        return call


GRADIENTS = {
    "softmax": Derived(lambda p, x: torch.softmax(x, -1)),
    "log_softmax": Derived(lambda p, x: torch.log_softmax(x, -1)),
    "layer_norm": Derived(lambda p, x, w, b: layer_norm(x, w, b), 3),
    "rms_norm": Derived(lambda p, x, w: rms_norm(x, w), 2),
    "bias_gelu": Derived(lambda p, x, b: functional.gelu(x + b), 2),
    "standardise": Derived(lambda p, x: standardised(x, 0)),
    "cumsum": Derived(lambda p, x: x.cumsum(-1)),
    "cross_entropy": Derived(lambda p, x, labels: functional.cross_entropy(x, labels), is_loss=True),
    "embedding": Derived(lambda p, x, i: functional.embedding(i, x)),
    "matmul": Derived(lambda p, a, b: a @ b, 2),
    "max_pool": Derived(lambda p, x: functional.max_pool2d(x, 2)),
    "convolution": Derived(lambda p, x, w: functional.conv2d(x, w, None, 1, 1), 2),
}


def perceptron(p, w1, b1, w2, b2, x, labels, *velocities):
    return functional.cross_entropy(functional.relu(x @ w1 + b1) @ w2 + b2, labels)


def descended(p, x, loss, slopes):
    return (loss, *[w - 0.05 * slope for w, slope in zip(x, slopes)])


def with_momentum(p, x, loss, slopes):
    velocities = [0.9 * v + slope for v, slope in zip(x[6:], slopes)]
    return (loss, *[w - 0.05 * v for w, v in zip(x, velocities)], *velocities)


def logistic(p, w, x, y):
    return functional.binary_cross_entropy_with_logits(x @ w, y)


class Reordered(Derived):
    """A loss whose weights are the second operand."""

    def bound(self, p, prepared):
        call = super().bound(p, prepared)
        return lambda x, w, y: call(w, x, y)


TRAINING = {
    "least_squares": lambda p, x, w, y: w - x.t() @ (x @ w - y) * (0.1 / x.shape[0]),
    "perceptron_sgd": Derived(perceptron, 4, descended, True),
    "perceptron_momentum": Derived(perceptron, 4, with_momentum, True),
    "logistic": Reordered(logistic, 1, lambda p, x, loss, slopes: (loss, x[0] - 0.1 * slopes[0]), True),
}

TABLE = {"gradients": GRADIENTS, "training": TRAINING}
