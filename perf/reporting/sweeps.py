"""Rates over sizes, a plot for each operation."""

import re
from html import escape

from . import text
from .axes import LogAxes, number_text, svg


def size_of(name):
    match = re.fullmatch(r"(\w+)/(?:2\^(\d+)|(\d+))", name)
    return (match.group(1), 2 ** int(match.group(2)) if match.group(2) else int(match.group(3))) if match else (None, 0)


def sweeps(all_runs):
    """For each operation with at least four sizes: its series, [(label, number of the run, [(size, rate)])]."""
    found = {}
    for number, run in enumerate(all_runs):
        for (name, variant), figure in run.figures.items():
            operation, size = size_of(name)
            classic = figure.entry.get("set") == "classic" and operation != "matmul" or "^" not in name and operation in (
                "exp", "mul", "sum_scalar", "sum_axis0", "mul_transposed_reshaped")
            what = "operations" if operation == "matmul" else "bytes"
            if operation is None or figure.problem or classic or not figure.rate(what):
                continue
            label = run.label + (f" {variant}" if variant else "")
            found.setdefault((operation, what), {}).setdefault((label, number, variant), []).append((size, figure.rate(what)))
    for key, series in found.items():
        kept = [(label, number, sorted(points)) for (label, number, _), points in series.items() if len(points) >= 4]
        if kept:
            yield key, kept


def sweep_plot(operation, what, series):
    points = [point for _, _, each in series for point in each]
    axes = LogAxes([x for x, _ in points], [y for _, y in points], 370, 270, 2)
    unit = "FLOP/s" if what == "operations" else "B/s"
    size_text = number_of_rows if what == "operations" else binary_text
    body = axes.frame("n" if what == "operations" else "elements", unit, size_text, number_text)
    for i, (label, _, each) in enumerate(series):
        line = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in each)
        body += f"<polyline class='line c{i % 6}' points='{line}'/>"
        for x, y in each:
            body += (f"<circle class='dot c{i % 6}' cx='{axes.x(x):.1f}' cy='{axes.y(y):.1f}' r='3'>"
                     f"<title>{escape(f'{label}, {size_text(x)}: {text.rate(y, unit)}')}</title></circle>")
    legend = "".join(f"<span><i class='c{i % 6}'></i>{escape(label)}</span>" for i, (label, _, _) in enumerate(series))
    return f"<figure><figcaption>{escape(operation)}</figcaption>{svg(axes, body, operation + ' over sizes')}<div class='legend'>{legend}</div></figure>"


def number_of_rows(value):
    return f"{value:g}"


def binary_text(value):
    """1024 is 1 Ki, 2^28 is 256 Mi."""
    for factor, prefix in ((2**30, " Gi"), (2**20, " Mi"), (2**10, " Ki")):
        if value >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"
