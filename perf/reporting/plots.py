"""Inline SVG: the roofline and the sweeps over sizes. Colours are classes of the page's style."""

import math
import re
from html import escape

from . import text

WIDTH, HEIGHT = 860, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 16, 44


class LogAxes:
    """Two logarithmic axes of base 10 (or 2 for x)."""

    def __init__(self, xs, ys, width=WIDTH, height=HEIGHT, base=10):
        self.width, self.height, self.base = width, height, base
        self.x_low, self.x_high = min(xs), max(xs)
        self.y_low, self.y_high = 10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys) * 1.05))
        if self.x_high <= self.x_low:
            self.x_high = self.x_low * 2

    def x(self, value):
        span = math.log(self.x_high / self.x_low)
        return LEFT + math.log(value / self.x_low) / span * (self.width - LEFT - RIGHT)

    def y(self, value):
        span = math.log(self.y_high / self.y_low)
        return self.height - BOTTOM - math.log(value / self.y_low) / span * (self.height - TOP - BOTTOM)

    def x_ticks(self):
        low, high = math.log(self.x_low, self.base), math.log(self.x_high, self.base)
        step = max(1, round((high - low) / 8))
        return [self.base**i for i in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1, step)]

    def y_ticks(self):
        low, high = round(math.log10(self.y_low)), round(math.log10(self.y_high))
        return [10.0**i for i in range(low, high + 1)]

    def frame(self, x_label, y_label, x_text, y_text):
        parts = []
        for tick in self.y_ticks():
            y = self.y(tick)
            parts.append(f"<line class='grid' x1='{LEFT}' x2='{self.width - RIGHT}' y1='{y:.1f}' y2='{y:.1f}'/>"
                         f"<text class='label' x='{LEFT - 8}' y='{y + 4:.1f}' text-anchor='end'>{y_text(tick)}</text>")
        for tick in self.x_ticks():
            x = self.x(tick)
            parts.append(f"<line class='grid' x1='{x:.1f}' x2='{x:.1f}' y1='{TOP}' y2='{self.height - BOTTOM}'/>"
                         f"<text class='label' x='{x:.1f}' y='{self.height - BOTTOM + 16}' text-anchor='middle'>{x_text(tick)}</text>")
        parts.append(f"<text class='label' x='{self.width - RIGHT}' y='{self.height - 6}' text-anchor='end'>{x_label}</text>"
                     f"<text class='label' x='{LEFT}' y='{TOP - 4}'>{y_label}</text>")
        return "".join(parts)


def svg(axes, body, label):
    return (f"<svg class='plot' viewBox='0 0 {axes.width} {axes.height}' role='img' aria-label='{escape(label, quote=True)}'>"
            f"{body}</svg>")


def number_text(value):
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"


def place_names(points, names):
    """Where each point's name goes, as (x, y) of its left end: beside the point, or as near as it covers nothing."""
    boxes = [(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    places = []

    def is_free(box):
        inside = LEFT < box[0] and box[2] < WIDTH - 4 and box[1] > 0
        return inside and not any(box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
                                  for left, top, right, bottom in boxes)

    for (x, y), name in zip(points, names):
        width = 6.4 * len(name)
        tries = [(left, y + shift) for shift in (0, 12, -12, 24, -24, 36, 48, 60, 72, 84, 96) for left in (x + 8, x - 8 - width)]
        boxes_of = [(left, top - 6, left + width, top + 6) for left, top in tries]
        chosen = next((i for i, box in enumerate(boxes_of) if is_free(box)), 0)
        boxes.append(boxes_of[chosen])
        places.append(tries[chosen])
    return places


def roofline(run):
    """Operations a second over operations a byte, below what the device can do at most."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    points = sorted([(figure.entry["operations"] / figure.entry["bytes"], figure.rate("operations"), figure)
              for figure in run.figures.values()
              if not figure.problem and figure.entry.get("operations") and figure.entry.get("bytes")
              and figure.entry.get("set") not in ("classic", "sweep", "smoke")], key=lambda point: -point[1])
    if not (copy and peak and points):
        return ""
    low = min(x for x, _, _ in points) / 2
    high = max(max(x for x, _, _ in points) * 2, peak / copy * 4)
    axes = LogAxes([low, high], [min(y for _, y, _ in points) / 2, peak], height=500)
    ridge = peak / copy
    roof = [(low, low * copy), (ridge, peak), (high, peak)] if low < ridge else [(low, peak), (high, peak)]
    line = " ".join(f"{axes.x(x):.1f},{axes.y(max(y, axes.y_low)):.1f}" for x, y in roof)
    body = axes.frame("operations a byte", "operations a second", number_text, number_text)
    body += f"<polyline class='roof' points='{line}'/>"
    operations = [figure.operation for _, _, figure in points]
    names = [each if operations.count(each) == 1 else figure.name for each, (_, _, figure) in zip(operations, points)]
    places = place_names([(axes.x(x), axes.y(y)) for x, y, _ in points], names)
    for (x, y, figure), name, (left, middle) in zip(points, names, places):
        tip = f"{figure.name}: {text.rate(y, 'FLOP/s')}, {y / min(peak, x * copy) * 100:.0f} % of the roof"
        body += (f"<g><title>{escape(tip)}</title><circle class='own' cx='{axes.x(x):.1f}' cy='{axes.y(y):.1f}' r='4.5'/>"
                 f"<text class='name' x='{left:.1f}' y='{middle + 4:.1f}'>{escape(name)}</text></g>")
    return (f"<h3>{escape(run.label)}</h3>" + svg(axes, body, f"Roofline of {run.label}")
            + f"<p class='note'>The roof: {text.rate(copy, 'B/s')} copied, {text.rate(peak, 'FLOP/s')}, both measured on the device.</p>")


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
    axes = LogAxes([x for x, _ in points], [y for _, y in points], 430, 270, 2)
    unit = "FLOP/s" if what == "operations" else "B/s"
    body = axes.frame("n" if what == "operations" else "elements", unit, lambda x: f"2{superscript(round(math.log2(x)))}", number_text)
    for i, (label, _, each) in enumerate(series):
        line = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in each)
        body += f"<polyline class='line c{i % 6}' points='{line}'/>"
        for x, y in each:
            body += (f"<circle class='dot c{i % 6}' cx='{axes.x(x):.1f}' cy='{axes.y(y):.1f}' r='3'>"
                     f"<title>{escape(f'{label}, {number_text(x)}: {text.rate(y, unit)}')}</title></circle>")
    legend = "".join(f"<span><i class='c{i % 6}'></i>{escape(label)}</span>" for i, (label, _, _) in enumerate(series))
    return f"<figure><figcaption>{escape(operation)}</figcaption>{svg(axes, body, operation + ' over sizes')}<div class='legend'>{legend}</div></figure>"


def superscript(number):
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))
