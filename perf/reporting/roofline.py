"""The roofline: each work below the most that its bytes and operations allow."""

import math
from html import escape

from . import text
from .axes import BOTTOM, LEFT, TOP, LogAxes, number_text, svg, text_width

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
