"""What the peers share: effort, rotation of inputs, samples, the JSON that eglantine_bench writes too.

A peer makes Work objects and calls main(). Figures mean what they mean in perf/measure.hpp.
"""

import argparse
import collections
import datetime
import json
import math
import os
import re
import sys
import time

ROTATION_BYTES = 256 * 1024 * 1024
MOST_SETS = 64
FEWEST_SETS = 4  # calls that overlap must neither read nor write the same tensor
MOST_HELD = 256


def sets_of(input_bytes):
    """How many sets of inputs take turns, so that no cache flatters."""
    return max(FEWEST_SETS, min(MOST_SETS, math.ceil(ROTATION_BYTES / max(1, input_bytes))))


class Work:
    """One thing to measure.

    name        as eglantine_bench --list says
    prepare     returns (calls, problem): functions of no argument, over other inputs each, and one that says what is
                wrong with a call's result ("" for nothing)
    on_host     calls wait and return nothing: only wall time has a meaning
    variant     "eager", "compiled", or ""
    verb        what its calls apply to their inputs, for perf/peers/agree; None of works without
    left_out    why the library has no counterpart; then prepare is None
    """

    def __init__(self, name, prepare, *, bytes=0, operations=0, items=0, steps=1, on_host=False, variant="", left_out="",
                 verb=None):
        self.left_out, self.verb = left_out, verb
        self.name, self.prepare, self.variant = name, prepare, variant
        self.bytes, self.operations, self.items = bytes, operations, items
        self.steps, self.on_host = steps, on_host


class Effort:
    def __init__(self, warm_seconds=1.0, sample_seconds=0.1, samples=9):
        self.warm_seconds, self.sample_seconds, self.samples = warm_seconds, sample_seconds, samples


class Caller:
    """Makes a work's calls in turn, and holds results for a while, so that memory is not what was just written."""

    def __init__(self, calls, bytes_of):
        self.calls, self.bytes_of, self.next = calls, bytes_of, 0
        self.held, self.held_bytes = collections.deque(), 0
        self.has_cycled = False

    def call(self):
        result = self.calls[self.next % len(self.calls)]()
        self.next += 1
        if result is None:
            self.has_cycled = True
            return
        self.held.append(result)
        self.held_bytes += self.bytes_of(result)
        while len(self.held) > FEWEST_SETS and (self.held_bytes > ROTATION_BYTES or len(self.held) > MOST_HELD):
            self.held_bytes -= self.bytes_of(self.held.popleft())
            self.has_cycled = True


def spread(samples):
    samples = sorted(samples)

    def at(share):
        place = share * (len(samples) - 1)
        below = int(place)
        above = min(below + 1, len(samples) - 1)
        return round((samples[below] + (place - below) * (samples[above] - samples[below])) * 1e6, 4)

    return {"median": at(0.5), "min": at(0), "p25": at(0.25), "p75": at(0.75), "max": at(1), "samples": len(samples)}


def warm_seconds(device, effort):
    """As eglantine_bench's (perf/measure.cpp): hardware that waited has a low clock for a while."""
    return effort.warm_seconds if device.software else max(effort.warm_seconds, 0.5)


def measure(work, calls, device, effort):
    """Spreads of device time (None where the device has no clock of its own) and wall time, in microseconds a step, and
    the most bytes that tensors held meanwhile (None where nothing counts them).

    device: synchronize(), bytes_of(result), software, device_seconds(run) or None, reset_peak() and peak_bytes().
    """
    caller = Caller(calls, device.bytes_of)

    def clamp(count):
        return int(max(1, min(count, 20000)))

    def run(count):
        for _ in range(count):
            caller.call()

    def wall_sample(count):
        seconds = 0
        for _ in range(count):
            start = time.perf_counter()
            caller.call()
            device.synchronize()
            seconds += time.perf_counter() - start
        return seconds / count

    warm = warm_seconds(device, effort)
    start, count, bunch = time.perf_counter(), 1, 0
    # Until memory goes round, too; but new memory is nothing beside calls that have not made it after five seconds.
    while bunch < 2 or time.perf_counter() - start < (warm if caller.has_cycled else max(warm, 5)):
        begin = time.perf_counter()
        run(count)
        device.synchronize()
        seconds = (time.perf_counter() - begin) / count
        if bunch > 0:
            count = min(clamp(effort.sample_seconds / max(seconds, 1e-9)), 2 * count)
        bunch += 1
    count = clamp(effort.sample_seconds / max(seconds, 1e-9))
    waited = wall_sample(1)
    waited_count = clamp(effort.sample_seconds / max(waited, 1e-9) / 2)
    on_device, wall = [], []
    device.reset_peak()
    for _ in range(effort.samples):
        if device.device_seconds and not work.on_host:
            caller.call()  # the device is busy when the first event comes, so that no pause counts
            on_device.append(device.device_seconds(lambda: run(count)) / count / work.steps)
        wall.append(wall_sample(waited_count) / work.steps)
    return (spread(on_device) if on_device else None), spread(wall), device.peak_bytes()


def result_of(work, device, effort):
    entry = {"name": work.name}
    if work.variant:
        entry["variant"] = work.variant
    for field in ("bytes", "operations", "items", "steps"):
        if getattr(work, field):
            entry[field] = getattr(work, field)
    if work.left_out:
        entry["left_out"] = work.left_out
        return entry
    try:
        calls, problem = work.prepare()
        wrong = problem()
        if wrong:
            raise ArithmeticError(f"WRONG: {wrong}")
        device_us, wall_us, peak_bytes = measure(work, calls, device, effort)
    except Exception as error:  # one work's trouble is not the others'
        entry["problem"] = f"{type(error).__name__}: {error}"
        return entry
    if device_us:
        entry["device_us"] = device_us
    entry["wall_us"] = wall_us
    if peak_bytes:
        entry["peak_bytes"] = peak_bytes
    calls_a_second = 1e6 / ((device_us or wall_us)["median"] * work.steps)
    for field in ("bytes", "operations", "items"):
        if getattr(work, field):
            entry[f"{field}_per_second"] = getattr(work, field) * calls_a_second
    return entry


def rate(entry):
    if "items_per_second" in entry:
        return f"{entry['items_per_second']:14.0f} items/s"
    if entry.get("operations_per_second", 0) > 20 * entry.get("bytes_per_second", 1e30) / 4:
        return f"{entry['operations_per_second'] * 1e-9:14.2f} GFLOP/s"
    return f"{entry['bytes_per_second'] * 1e-9:14.2f} GB/s" if "bytes_per_second" in entry else ""


def print_entry(entry):
    name = entry["name"] + (f" ({entry['variant']})" if "variant" in entry else "")
    if "problem" in entry or "left_out" in entry:
        print(f"{name:>44}  {entry.get('problem') or 'left out: ' + entry['left_out']}", flush=True)
        return
    device = f"{entry['device_us']['median']:14.2f}" if "device_us" in entry else " " * 14
    wall = entry["wall_us"]
    print(f"{name:>44} {device} {wall['median']:14.2f} {wall['p25']:12.2f} {wall['p75']:12.2f}  {rate(entry)}", flush=True)


def host():
    """The machine as eglantine_bench calls it, so that results from one machine find each other."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    threads = os.cpu_count() or 1
    model = names[0] + ", " if names else ""
    return f"cpu ({model}{threads} thread{'' if threads == 1 else 's'})"


def options(description, sets):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--set", default=None, help=f"one of {', '.join(sets)}, or several separated by commas")
    parser.add_argument("--works", default="", help="instead of a set: the file that eglantine_bench --set drawn --works wrote")
    parser.add_argument("--filter", default="", help="only works in whose name this regular expression is found")
    parser.add_argument("--variant", default="", choices=["", "eager", "compiled"], help="of PyTorch's only this one")
    parser.add_argument("--quick", action="store_true", help="less time on each work")
    parser.add_argument("--json", default="", help="the file to write")
    parser.add_argument("--resume", action="store_true", help="go on with that file: what is in it is not measured again")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    parser.add_argument("--list", action="store_true", help="the works' names, nothing else")
    return parser.parse_args()


def read_works(works_of, path):
    """The works of a file that eglantine_bench wrote, or an end that says what is wrong with it."""
    try:
        return works_of(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{sys.argv[0]}: {path}: {error}")


def begun(chosen, report):
    """The report to go on with."""
    if not (chosen.resume and os.path.exists(chosen.json)):
        return report
    with open(chosen.json, encoding="utf-8") as file:
        return json.load(file)


def is_lost(device):
    """Whether an earlier work took the device from this process, as an access that CUDA refuses does."""
    try:
        device.synchronize()
        device.trim()
        return False
    except RuntimeError:
        return True


def start_again(chosen):
    if not chosen.json:
        sys.exit(f"{sys.argv[0]}: the device is lost to this process; with --json another one would go on")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *sys.argv, *([] if chosen.resume else ["--resume"])])


def main(chosen, works, device, header):
    """works: the Work objects to measure. header: what the JSON says of library and device."""
    works = [work for work in works if re.search(chosen.filter, work.name) and chosen.variant in ("", work.variant)]
    if chosen.list:
        for work in works:
            print(work.name, work.variant)
        return 0
    effort = Effort(0.2, 0.02, 7) if chosen.quick else device.effort
    print(f"{header['library']} on {header['device']['name']}")
    print(f"{'work':>44} {'device us':>14} {'wall us':>14} {'p25':>12} {'p75':>12}", flush=True)
    report = {"format": 1, **header, "host": host(), "date": chosen.date, "command": " ".join(sys.argv), "works": []}
    report = begun(chosen, report)
    seen = {(entry["name"], entry.get("variant", "")) for entry in report["works"]}
    good = all("problem" not in entry for entry in report["works"])
    for work in works:
        if (work.name, work.variant) in seen:
            continue
        seen.add((work.name, work.variant))
        report["works"].append(result_of(work, device, effort))
        print_entry(report["works"][-1])
        good &= "problem" not in report["works"][-1]
        if chosen.json:
            with open(chosen.json, "w", encoding="utf-8") as file:
                json.dump(report, file, indent=1)
        if is_lost(device):
            start_again(chosen)
    return 0 if good else 1
