"""What eglantine_bench drew, for the peers: the file that `--set drawn --seed N --works FILE` writes.

A library's table says how it does a family's verbs: {family: {verb: function(p, *operands)}}. p holds the parameters:
p.axis is one number, p.axes a list. A verb "*" stands for all of its family, and gets the verb's name as p.verb.
"""

import json
import math

LAYOUTS = ("contiguous", "transposed", "sliced", "flipped", "broadcast", "offset")


class Parameters:
    """Attributes alone, which torch.compile looks through."""

    axes = None

    def __init__(self, verb, values):
        self.verb = verb
        for name, numbers in values.items():
            setattr(self, name, tuple(numbers) if name in ("axes", "shape", "pads") else numbers[0])


class Operand:
    """A view of a stored tensor: see perf/drawn/layouts.hpp."""

    def __init__(self, data):
        self.shape, self.stored = tuple(data["shape"]), tuple(data["stored"])
        self.layout, self.axes, self.start, self.step = data["layout"], data["axes"], data["start"], data["step"]
        self.dtype, self.fill, self.bound = data["dtype"], data["fill"], data["bound"]
        if self.layout not in LAYOUTS:
            raise ValueError(f"unknown layout \"{self.layout}\"; there are {', '.join(LAYOUTS)}")

    def slices(self):
        """Of a sliced operand: for each axis."""
        axis = self.axes[0]
        stop = self.start + self.step * (self.shape[axis] - 1) + 1
        return tuple(slice(self.start, stop, self.step) if i == axis else slice(None) for i in range(len(self.shape)))


class DrawnWork:
    def __init__(self, data):
        self.name, self.family, self.verb = data["name"], data["family"], data["verb"]
        self.operands = [Operand(each) for each in data["operands"]]
        self.results = [(tuple(each["shape"]), each["dtype"]) for each in data["results"]]
        self.parameters = Parameters(self.verb, data["parameters"])
        self.bytes, self.operations = data["bytes"], data["operations"]

    @property
    def dtypes(self):
        return {operand.dtype for operand in self.operands} | {dtype for _, dtype in self.results}

    def entry(self, table):
        """What a library's table has for the work. ValueError names a family or a verb that it does not know."""
        verbs = table.get(self.family)
        if verbs is None:
            raise ValueError(f"{self.name}: unknown family \"{self.family}\"; there are {', '.join(table)}")
        of = verbs.get(self.verb) or verbs.get("*")
        if of is None:
            raise ValueError(f"{self.name}: unknown verb \"{self.verb}\" of {self.family}; there are {', '.join(verbs)}")
        return of

    def problem_of_shapes(self, shapes):
        """What is wrong with the results' shapes, or ""."""
        wanted = [shape for shape, _ in self.results]
        return f"the results have the shapes {shapes}, not {wanted}" if wanted and shapes != wanted else ""


def read(path):
    """The works of a file. ValueError says what is wrong with it."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if not isinstance(data, dict) or data.get("format") != 1 or any("family" not in work for work in data.get("works", [{}])):
        raise ValueError(f"{path} is no file of drawn works (eglantine_bench --set drawn --works FILE writes one)")
    return [DrawnWork(each) for each in data["works"]]


def elements(shape):
    return math.prod(shape)
