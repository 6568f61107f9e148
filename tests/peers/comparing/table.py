"""A table of verbs: a line each."""

from .compare import Bounds, EXACT


class Verb:
    def __init__(self, name, arguments, reference, bounds, keep, times, programs=1):
        self.name, self.arguments, self.reference, self.bounds = name, arguments, reference, bounds
        self.keep, self.times, self.programs = keep, times, programs


class Table(dict):
    """The lines that are compared with one library."""

    def verb(self, name, arguments, reference, *, ulp=0, relative=0, absolute=0, keep=False, times=1, programs=1,
             line=None):
        """Adds a line. `arguments(drawn)` gives what the driver is called with, `reference` is called with the same
        and gives the result, or raises where the verb must throw. `keep` draws whether the arguments live on behind
        the call, and compares them then; `times` as many cases as of others, on a software driver by `programs` fewer:
        about so many times as many GL programs a case compiles. `line` is the line's name where the verb has one
        already."""
        line = line or name
        if line in self:
            raise ValueError(f"{line} has a line already")
        bounds = Bounds(ulp, relative, absolute) if ulp or relative or absolute else EXACT
        self[line] = Verb(name, arguments, reference, bounds, keep, times, programs)
