"""The steps that programs draw from: a line each."""


class Step:
    def __init__(self, name, arguments, function, weight):
        self.name, self.arguments, self.function, self.weight = name, arguments, function, weight


STEPS = {}


def step(name, arguments, function, weight=2):
    """Adds a line: `arguments(program)` gives what the verb is called with, or raises Misfit; `function` is called with
    the same as PyTorch's tensors. `weight` is how often it is drawn."""
    if name in STEPS:
        raise ValueError(f"{name} has a line already")
    STEPS[name] = Step(name, arguments, function, weight)
