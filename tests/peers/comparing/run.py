"""One run: calls each verb of a table with drawn arguments, and its reference, and compares."""

import os
import re
import sys
import time

import numpy as np

from .compare import difference
from .draw import Drawn, as_arrays, hold
from .rules import Refused
from .wire import Driver, Held, Steps

# Cases of a verb. A software driver compiles a program for nearly each one: where cases are drawn, a run there takes one
# verb in VERBS.
VERBS = 3
CASES = {"all": {"cpu": 300, "gl": 8}, "drawn": {"cpu": 60, "gl": 2}}
MOST_PRINTED = 3  # differences of one verb


def shown(value):
    """As one would write it in Python."""
    if isinstance(value, Held):
        array = np.asarray(value.array)
        text = f"np.array({np.array2string(array, separator=', ', threshold=60, edgeitems=2)}, '{array.dtype}')"
        text += f".reshape({array.shape})" if array.ndim != 1 or not array.size else ""
        return text + (f" [{value.view}]" if value.view != "contiguous" else "")
    if isinstance(value, Steps):
        lines = (f"@{number} = {name}({', '.join(map(shown, arguments))})" for name, arguments, number in value)
        return "\n        " + "\n        ".join(lines) + "\n    "
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(shown, value)) + "]"
    return repr(value)


class Run:
    def __init__(self, chosen, table, refusals):
        """`refusals`: what a reference raises where the verb must throw."""
        self.chosen, self.driver = chosen, Driver(chosen.driver, chosen.device)
        self.table, self.refusals = table, (Refused,) + refusals
        self.cases = os.environ.get("EGLANTINE_TEST_CASES") or "all"
        if self.cases not in CASES:
            sys.exit(f'compare: EGLANTINE_TEST_CASES is "all" or "drawn", not "{self.cases}"')
        self.seed = int(os.environ.get("EGLANTINE_TEST_SEED") or time.time())
        self.count = chosen.count or CASES[self.cases]["cpu" if chosen.device.startswith("cpu") else "gl"]
        self.sparing = self.cases == "drawn" and not (chosen.count or chosen.verb or chosen.device.startswith("cpu"))
        self.now = "its start"
        self.different, self.unknown, self.done, self.refused, self.seconds = {}, [], 0, 0, {}

    def verbs(self):
        for name, line in self.table.items():
            if self.sparing and not Drawn(f"{self.seed} {name}").chance(1 / VERBS):
                continue
            if re.search(self.chosen.verb, name):
                start = time.monotonic()
                self.verb(name, line)
                self.seconds[name] = time.monotonic() - start

    def verb(self, name, line):
        fewer = 1 if self.chosen.count or self.chosen.device.startswith("cpu") else line.programs
        places = range(max(1, self.count * line.times // fewer)) if self.chosen.case is None else [self.chosen.case]
        for place in places:
            drawn = Drawn(f"{self.seed} {name} {place}")
            text = self.case(name, line, drawn, place)
            if name in self.unknown:
                return
            self.done += 1
            if text is not None:
                self.report(name, place, text)

    def again(self, name, place):
        return (f"EGLANTINE_TEST_SEED={self.seed} compare {self.chosen.peer} --driver {self.chosen.driver} "
                f"--device {self.chosen.device} --verb '^{re.escape(name)}$' --case {place}")

    def case(self, name, line, drawn, place):
        try:
            arguments = as_arrays(line.arguments(drawn))
        except Exception as error:
            return f"{name}\n    drawing the arguments fails: {error!r}"
        held, keep = hold(drawn, arguments), line.keep and drawn.flag()
        try:
            expected = line.reference(*arguments)
        except self.refusals as error:
            expected = error
        except Exception as error:
            return f"{name}({', '.join(map(shown, held))})\n    the reference fails: {error!r}"
        self.now = self.again(name, place)
        status, actual = self.driver.call(line.name, held, keep)
        if status == "unknown":
            self.unknown.append(name)
            return None
        text = self.judged(line, arguments, expected, status, actual, keep)
        return text and f"{line.name}({', '.join(map(shown, held))})\n    {text}"

    def judged(self, line, arguments, expected, status, actual, keep):
        if status == "error":
            self.refused += 1
            if not actual[1].startswith("["):
                return f"an error that names no function: {actual[1]}"
            return None if isinstance(expected, Exception) else f"{actual[0]}: {actual[1]}"
        if isinstance(expected, Exception):
            return f"no error, but of {self.chosen.peer} {type(expected).__name__}: {expected}"
        if keep:
            actual, after = actual
            for i, (one, before) in enumerate(zip(after, arguments)):
                if isinstance(before, np.ndarray) and difference(one, before):
                    return f"argument {i} has changed: {difference(one, before)}"
        return difference(actual, expected, line.bounds)

    def report(self, name, place, text):
        self.different[name] = self.different.get(name, 0) + 1
        if self.different[name] <= MOST_PRINTED and not self.chosen.planted:
            print(f"{text}\n    again: {self.again(name, place)}\n", flush=True)

    def planted(self):
        missed = [name for name in self.table if name not in self.different]
        print(f"{len(self.different)} of {len(self.table)} planted mistakes were found; missed:",
              ", ".join(missed) or "none")
        return 1 if missed or not self.table else 0

    def end(self):
        for name in sorted(self.seconds, key=self.seconds.get)[:-16:-1] if self.chosen.times else []:
            print(f"{self.seconds[name]:7.2f} s {name}")
        if self.unknown:
            print(f"verbs that the driver does not know: {', '.join(self.unknown)}")
        if self.different:
            print("differences:", ", ".join(f"{name} {count}" for name, count in self.different.items()))
        print(f"{self.chosen.device}: {len(self.seconds) - len(self.unknown)} verbs, {self.done} cases, {self.refused} "
              f"of them errors, {sum(self.different.values())} differences, EGLANTINE_TEST_SEED={self.seed}")
        return 1 if self.different or self.unknown or not self.done else 0
