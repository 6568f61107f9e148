"""The table of verbs: a line each, by family, in the modules that import this."""

from .compare import Bounds, EXACT

VERBS = {}


class Verb:
    def __init__(self, name, arguments, reference, bounds, keep, times):
        self.name, self.arguments, self.reference, self.bounds = name, arguments, reference, bounds
        self.keep, self.times = keep, times


def verb(name, arguments, reference, *, ulp=0, relative=0, absolute=0, keep=False, times=1):
    """Adds a line. `arguments(drawn)` gives what the driver is called with, `reference` is called with the same and
    gives the result, or raises where the verb must throw. `keep` draws whether the arguments live on behind the call,
    and compares them then; `times` as many cases as of others."""
    if name in VERBS:
        raise ValueError(f"{name} has a line already")
    bounds = Bounds(ulp, relative, absolute) if ulp or relative or absolute else EXACT
    VERBS[name] = Verb(name, arguments, reference, bounds, keep, times)


# What the driver may answer "unknown" to; each of these must be unknown to it.
NOT_THERE_YET = set()
