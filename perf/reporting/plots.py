"""Inline SVG: the roofline and the sweeps over sizes. Colours are classes of the page's style."""

import math
import re
from html import escape

from . import text

LEFT, RIGHT, TOP, BOTTOM = 58, 14, 22, 44
FONT = 13  # pixels of a drawing, which is shown about as wide as it is drawn


class LogAxes:
    """Two logarithmic axes, of base 10, or 2 for x."""

    def __init__(self, xs, ys, width, height, base=10):
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
        """As many powers of the base as have room for their texts."""
        low, high = math.log(self.x_low, self.base), math.log(self.x_high, self.base)
        most = max(2, (self.width - LEFT - RIGHT) // 70)
        step = max(1, math.ceil((high - low + 1) / most))
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
            x, text_of_tick = self.x(tick), x_text(tick)
            # The last one would stand out of the drawing if it were centred below its line.
            middle = min(x, self.width - 2 - text_width(text_of_tick) / 2)
            parts.append(f"<line class='grid' x1='{x:.1f}' x2='{x:.1f}' y1='{TOP}' y2='{self.height - BOTTOM}'/>"
                         f"<text class='label' x='{middle:.1f}' y='{self.height - BOTTOM + 17}' text-anchor='middle'>{text_of_tick}</text>")
        parts.append(f"<text class='label' x='{self.width - RIGHT}' y='{self.height - 7}' text-anchor='end'>{x_label}</text>"
                     f"<text class='label' x='{LEFT}' y='{TOP - 8}'>{y_label}</text>")
        return "".join(parts)


def text_width(text_of, size=FONT):
    """Of a text in a system's sans-serif font, rather more than less."""
    return 0.62 * size * len(text_of)


def svg(axes, body, label, kind=""):
    return (f"<svg class='plot {kind}' font-size='{FONT}' viewBox='0 0 {axes.width} {axes.height}' role='img' "
            f"aria-label='{escape(label, quote=True)}'>{body}</svg>")


def number_text(value):
    for factor, prefix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:g}{prefix}"
    return f"{value:g}"


DOT = 4.5
MARK_HEIGHT = 12


def place_marks(points, marks, width, height):
    """The middle of each point's number: beside the point, or as near to it as it covers neither a dot nor a number."""
    taken = [(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in points]
    places = []

    def is_free(box):
        inside = LEFT < box[0] and box[2] < width - 2 and TOP < box[1] and box[3] < height - BOTTOM
        return inside and not any(box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
                                  for left, top, right, bottom in taken)

    def around(x, y, half):
        """Places in rings about the point, to the right and left first."""
        for ring in range(40):
            away = half + DOT + 1 + 5 * ring
            for turn in (0, 180, 30, 150, -30, 210, 60, 120, -60, 240, 90, -90):
                yield x + away * math.cos(math.radians(turn)), y - away * math.sin(math.radians(turn))

    for (x, y), mark in zip(points, marks):
        half = text_width(mark, 11) / 2
        boxes = ((left - half, top - MARK_HEIGHT / 2, left + half, top + MARK_HEIGHT / 2) for left, top in around(x, y, half))
        box = next((each for each in boxes if is_free(each)), None)
        if box is None:
            raise ValueError(f"no room for the number {mark} at {x:.0f}, {y:.0f}")
        taken.append(box)
        places.append(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
    return places


def roofline_points(run):
    """[(operations a byte, operations a second, name, share of the roof)], in the order of the first."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    figures = [figure for figure in run.figures.values()
               if not figure.problem and figure.entry.get("operations") and figure.entry.get("bytes")
               and figure.entry.get("set") not in ("classic", "sweep", "smoke")]
    operations = [figure.operation for figure in figures]
    points = []
    for figure in figures:
        x, y = figure.entry["operations"] / figure.entry["bytes"], figure.rate("operations")
        name = figure.operation if operations.count(figure.operation) == 1 else figure.name
        points.append((x, y, name, y / min(peak, x * copy)))
    return sorted(points, key=lambda point: (round(math.log10(point[0]), 2), -point[1]))


def roofline_svg(run, points, width, height, kind):
    copy, peak = run.device["copy_bytes_per_second"], run.device["peak_operations_per_second"]
    low = min(x for x, *_ in points) / 2
    high = max(max(x for x, *_ in points) * 2, peak / copy * 4)
    axes = LogAxes([low, high], [min(y for _, y, *_ in points) / 2, peak], width, height)
    ridge = peak / copy
    roof = [(low, low * copy), (ridge, peak), (high, peak)] if low < ridge else [(low, peak), (high, peak)]
    line = " ".join(f"{axes.x(x):.1f},{axes.y(max(y, axes.y_low)):.1f}" for x, y in roof)
    body = axes.frame("operations a byte", "operations a second", number_text, number_text)
    body += f"<polyline class='roof' points='{line}'/>"
    at = [(axes.x(x), axes.y(y)) for x, y, *_ in points]
    marks = [str(number) for number in range(1, len(points) + 1)]
    for (x, y), mark, (left, middle), (_, rate, name, share) in zip(at, marks, place_marks(at, marks, width, height), points):
        tip = f"{name}: {text.rate(rate, 'FLOP/s')}, {share * 100:.0f} % of the roof"
        distance = math.hypot(left - x, middle - y)
        end = 1 - 9 / distance  # before the number
        leader = (f"<line class='leader' x1='{x:.1f}' y1='{y:.1f}' x2='{x + (left - x) * end:.1f}' y2='{y + (middle - y) * end:.1f}'/>"
                  if distance > 20 else "")
        body += (f"<g><title>{escape(tip)}</title>{leader}<circle class='own' cx='{x:.1f}' cy='{y:.1f}' r='{DOT}'/>"
                 f"<text class='name' font-size='11' x='{left:.1f}' y='{middle + 4:.1f}' text-anchor='middle'>{mark}</text></g>")
    return svg(axes, body, f"Roofline of {run.label}", kind)


def roofline(run):
    """Operations a second over operations a byte, below what the device can do at most; numbers name the works below."""
    copy, peak = run.device.get("copy_bytes_per_second"), run.device.get("peak_operations_per_second")
    points = roofline_points(run) if copy and peak else []
    if not points:
        return ""
    names = "".join(f"<li><span>{escape(name)}</span> <small>{text.rate(rate, 'FLOP/s')}, {share * 100:.0f} %</small></li>"
                    for _, rate, name, share in points)
    return (f"<h3>{escape(run.label)}</h3>" + roofline_svg(run, points, 860, 500, "wide") + roofline_svg(run, points, 370, 460, "narrow")
            + f"<ol class='works'>{names}</ol>"
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
