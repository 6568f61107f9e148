"""Files of results, joined: one Run for each program on each device."""

import json
import pathlib
import re


class Figure:
    """A work's entry in a file."""

    def __init__(self, entry):
        self.entry = entry
        self.name = entry["name"]
        left_out = entry.get("left_out", "")
        self.problem = entry.get("problem", "") or (f"left out: {left_out}" if left_out else "")
        self.steps = entry.get("steps", 1) or 1

    @property
    def operation(self):
        return self.name.split("/")[0]

    @property
    def peak_bytes(self):
        return self.entry.get("peak_bytes")

    def spread(self, clock):
        return self.entry.get(f"{clock}_us")

    def time(self, clock=None):
        """Microseconds of a step: by that clock, else the device's, else the wall's. None when there is no figure."""
        for each in [clock] if clock else ["device", "wall"]:
            if self.spread(each):
                return self.spread(each)["median"]
        return None

    def rate(self, what, clock=None):
        """Bytes, operations or items a second; None where they are not counted."""
        time = self.time(clock)
        return self.entry[what] / (time * self.steps) * 1e6 if time and self.entry.get(what) else None


class Run:
    """One program on one device: its newest figures, and the ones before."""

    def __init__(self, data, path):
        self.data, self.path, self.figures, self.before = data, path, {}, {}
        for entry in data["works"]:
            variant = entry.get("variant", data.get("variant", ""))
            self.figures[entry["name"], variant] = Figure(entry)

    program = property(lambda self: self.data["program"])
    device = property(lambda self: self.data["device"])
    date = property(lambda self: self.data.get("date", ""))
    is_own = property(lambda self: self.program == "eglantine")

    @property
    def label(self):
        return short_name(self.device["name"]) if self.is_own else self.data["library"]

    def replaces(self, other):
        """Takes the place of an older run of the same thing; works that were not measured again stay. The device's own
        rates are the better ones: one measuring can be disturbed, none shows more than the device can."""
        for rate in ("copy_bytes_per_second", "peak_operations_per_second"):
            if rate in self.device or rate in other.device:
                self.device[rate] = max(self.device.get(rate, 0), other.device.get(rate, 0))
        self.before = {**other.before, **other.figures}
        self.figures = {**other.figures, **self.figures}

    def figure(self, name, variant=""):
        figure = self.figures.get((name, variant))
        return None if figure is None or figure.problem else figure

    def variants(self):
        return sorted({variant for _, variant in self.figures})


def short_name(name):
    """"NVIDIA H200/PCIe/SSE2" is the NVIDIA H200, "llvmpipe (LLVM 15.0.6, 256 bits)" is llvmpipe."""
    return re.sub(r"/PCIe.*| \(LLVM.*", "", name)


def read(path):
    data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if not isinstance(data, dict) or data.get("format") != 1 or "works" not in data:
        raise ValueError(f"{path} is no file of benchmark results (it wants \"format\": 1 and \"works\")")
    return Run(data, path)


def join(paths):
    """The runs, the library's own first."""
    joined = {}
    for run in sorted((read(path) for path in paths), key=lambda run: run.date):
        key = run.program, run.device["name"], run.device.get("kind"), run.data.get("host")
        if key in joined:
            run.replaces(joined[key])
        joined[key] = run
    return sorted(joined.values(), key=lambda run: (not run.is_own, run.device.get("software", False), run.program))


def peer_of(own, program, all_runs):
    """The run of another program that a run of the library is compared with: on the same device, or the same host."""
    candidates = [run for run in all_runs if run.program == program]
    if program == "torch" and not own.device["software"]:
        candidates = [run for run in candidates if not run.device.get("software")]
        same = [run for run in candidates if run.device["name"] in own.device["name"]]
        return (same or candidates or [None])[0]
    same = [run for run in candidates if run.data.get("host") == own.data.get("host")]
    return (same or [None])[0]
